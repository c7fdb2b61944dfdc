/** Sessions that join and leave find the graphs of others. */
import { describe, expect, it } from '@jest/globals';
import type { NativeModel } from '../../src/engine/backends/native/addon.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';

const path = 'tests/fixtures/peer-tiny-v1.gguf';
/** Lengths of texts that leave few positions to the first step, and many. */
const lengths = [9, 20, 31, 45, 70];
const streams = 4;

async function openModel(): Promise<NativeModel> {
  const model = await (await loadAddon()).openModel(path, 'CPU', 1, '');
  await model.load();
  return model;
}

async function openSession(model: NativeModel, length: number): Promise<number> {
  const tokens = Int32Array.from({ length }, (_, at) => (at * 7 + length) % model.info.vocabSize);
  const prefix = { tokens, audioMask: new Uint8Array(length), features: new Float32Array(0) };
  const session = await model.open({ ...prefix, cfg: 2, timesteps: 2 });
  while (!(await model.prefill(session)));
  return session;
}

async function step(model: NativeModel, sessions: readonly number[]): Promise<void> {
  const values = model.info.patchSize * model.info.featureDim;
  const noise = sessions.map((session) => Float32Array.from({ length: values }, (_, at) => Math.sin(session + at)));
  const patches = await model.step([...sessions], noise, 'plain');
  await model.decode(
    [...sessions],
    patches.map(({ patch }) => patch),
  );
}

const graphs = (model: NativeModel): number => {
  const times = model.stageTimes();
  if (times === undefined) throw new Error('the model does not count graphs');
  return times.graphs;
};

describe('graphs of steps', () => {
  it('are built once for each number of sessions, whoever joins and leaves', async () => {
    const model = await openModel();
    const sessions: number[] = [];
    const joined = async (count: number): Promise<void> => {
      for (let join = 0; join < count; join += 1) {
        if (sessions.length === streams) await model.closeSession(sessions.shift() as number);
        sessions.push(await openSession(model, lengths[join % lengths.length] as number));
        // With the end of the newcomer's text, then without any.
        await step(model, sessions);
        if (sessions.length < streams || join % 8 === 0) await step(model, sessions);
      }
    };
    await joined(2 * lengths.length + streams);
    const built = graphs(model);
    // Steps of 1 to 4 sessions, those with a few or many positions of a newcomer, decoders, a schedule.
    expect(built).toBeLessThan(4 * streams + 4);
    await joined(100);
    expect(graphs(model)).toBe(built);
    await model.close();
  });

  it('compute for a newcomer what they compute for a session alone', async () => {
    const model = await openModel();
    const values = model.info.patchSize * model.info.featureDim;
    const noise = Float32Array.from({ length: values }, (_, at) => Math.cos(at));
    const alone = await openSession(model, 31);
    const [expected] = await model.step([alone], [noise], 'trace');
    const others = [await openSession(model, 9), await openSession(model, 70)];
    await step(model, others);
    const newcomer = await openSession(model, 31);
    const results = await model.step([newcomer, ...others], [noise, noise, noise], 'trace');
    expect(results[0]?.lmHidden).toEqual(expected?.lmHidden);
    expect(results[0]?.patch).toEqual(expected?.patch);
    await model.close();
  });

  it('leave out hidden states that nobody asked for', async () => {
    const model = await openModel();
    const values = model.info.patchSize * model.info.featureDim;
    const session = await openSession(model, 9);
    const [plain] = await model.step([session], [new Float32Array(values)], 'plain');
    const [traced] = await model.step([session], [new Float32Array(values)], 'trace');
    expect(plain).not.toHaveProperty('lmHidden');
    expect(traced?.lmHidden).toHaveLength(model.info.hiddenSize);
    await model.close();
  });
});
