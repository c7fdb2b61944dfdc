import { setMaxListeners } from 'node:events';
import { expect, it } from '@jest/globals';
import { createStepTurns, type StepTurns, type TaskPriority } from '../../src/admission/step-turns.ts';

const never = new AbortController().signal;
// Requests of a test share it.
setMaxListeners(Number.POSITIVE_INFINITY, never);
const claim = (owner?: string, weight = 1): TaskPriority => ({ owner, weight, priority: 'interactive' });

/** Tasks that compute pieces in rounds, as in a batch; `log` has who computed in each round. */
function simulate(turns: StepTurns) {
  const ready = new Map<string, () => Promise<void>>();
  const start = async (name: string, of: TaskPriority, part: () => number = () => 0): Promise<void> => {
    const turn = await turns.enter(of, never);
    const step = async (): Promise<void> => {
      ready.delete(name);
      await turn.next(part());
      ready.set(name, step);
    };
    ready.set(name, step);
  };
  const round = async (): Promise<readonly string[]> => {
    const now = [...ready];
    for (const [, step] of now) void step();
    await new Promise(setImmediate);
    return now.map(([name]) => name);
  };
  return { start, round };
}

const settle = (): Promise<void> => new Promise(setImmediate);

it('lets a key in after one step, although another fills all places, and then shares by weight', async () => {
  const turns = createStepTurns(4);
  const { start, round } = simulate(turns);
  for (let index = 0; index < 8; index += 1) void start(`a${index}`, claim('a'));
  await settle();
  expect(await round()).toHaveLength(4);
  expect(turns.yieldsTo(claim('b'))).toBe(true);
  for (let index = 0; index < 4; index += 1) void start(`b${index}`, claim('b', 3));
  await round();
  expect((await round()).filter((name) => name.startsWith('b')).length).toBeGreaterThanOrEqual(1);
  let [a, b] = [0, 0];
  for (let index = 0; index < 200; index += 1) {
    const names = await round();
    expect(names).toHaveLength(4);
    b += names.filter((name) => name.startsWith('b')).length;
    a += names.filter((name) => name.startsWith('a')).length;
  }
  expect(b / a).toBeGreaterThan(2.4);
  expect(b / a).toBeLessThan(3.6);
});

it('prefers listeners to files, and first words to later parts', async () => {
  const turns = createStepTurns(1);
  const { start, round } = simulate(turns);
  let part = 0;
  void start('file', { ...claim(), priority: 'batch' });
  await settle();
  expect(turns.yieldsTo(claim())).toBe(true);
  expect(turns.yieldsTo({ ...claim(), priority: 'batch' })).toBe(false);
  void start('long', claim(), () => part);
  await round();
  expect(await round()).toEqual(['long']);
  expect(turns.yieldsTo(claim())).toBe(false);
  part = 1;
  void start('new', claim());
  await round();
  expect(await round()).toEqual(['new']);
});

it('forgets a task that is canceled while it waits', async () => {
  const turns = createStepTurns(1);
  const first = await turns.enter(claim(), never);
  const gone = new AbortController();
  const waiting = turns.enter(claim(), gone.signal);
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(turns.enter(claim(), gone.signal)).rejects.toThrow('gone');
  first.leave();
  (await turns.enter(claim(), never)).leave();
});
