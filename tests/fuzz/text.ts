/**
 * Hostile texts of the longest legal length through every stage, and JSON bodies through their schema; none may take the
 * event loop for longer than `mostMilliseconds`. What a server does in steps is done in turns as there.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { acceptSteps } from '../../src/engine/accepted.ts';
import { parseRequestText } from '../../src/engine/parsed-request.ts';
import { planSteps } from '../../src/engine/plan/plan.ts';
import { parseRequest } from '../../src/engine/request.ts';
import { SvcError } from '../../src/errors.ts';
import { problemOf } from '../../src/server/http/problem.ts';
import { speechBody } from '../../src/server/schemas/speech.ts';
import { parse } from '../../src/validation.ts';
import { fakeInfo } from '../engine/fake-backend.ts';
import { beginnings, characters, ends, longest, repeated } from '../engine/hostile-texts.ts';
import { ofCommands, runStage, stageNames, stageSteps } from '../engine/text-stages.ts';
import { pick, type Random } from './random.ts';
import { hostileScript } from './script-text.ts';
import type { Target } from './target.ts';

const file = 'text.json';
const mostMilliseconds = 200;
const info = { ...fakeInfo, architecture: 'voxcpm2' } as const;

/** Work of one round on its text. */
interface Round {
  /** A stage of `text-stages.ts`, `plan` for all of them in steps, or `body` for a request over HTTP. */
  readonly what: string;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export function hostileText(random: Random): string {
  if (random(4) === 0) return hostileScript(random, pick(random, [30, 3000, 30_000])).text.slice(0, longest);
  const piece = Array.from({ length: 1 + random(3) }, () => pick(random, characters)).join('');
  const [beginning, end] = [pick(random, beginnings), pick(random, ends)];
  return beginning + repeated(piece, longest - beginning.length - end.length) + end;
}

const fields = ['input', 'voice', 'prompt_wav_path', 'ref_text', 'lora', 'instructions', '__proto__', 'constructor'];

export function hostileBody(random: Random, text: string): Record<string, unknown> {
  const value = (): unknown =>
    pick(random, [
      ...[text, -1, 1e308, null, [], [text], {}, { text }, { id: text }, true, Array(1000).fill({ text: 'a' })],
    ]);
  const given = Array.from({ length: random(6) }, () => [pick(random, fields), value()] as const);
  const many = random(5) === 0 ? Array.from({ length: 20_000 }, (_, index) => [`${index}`, 1] as const) : [];
  return Object.fromEntries([['input', 'a'], ...given, ...many]);
}

/** @throws a `RangeError` for what takes too long */
function timed<Result>(what: string, work: () => Result): Result {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  const spent = (user + system) / 1000;
  if (spent > mostMilliseconds) throw new RangeError(`${what} took ${Math.round(spent)} ms`);
  return result;
}

/** Longest turn of a server in milliseconds; see src/event-loop.ts. */
const longestTurn = 10;

function inTurns<Result>(what: string, steps: Iterator<unknown, Result>): Result {
  const takeTurn = (): IteratorResult<unknown, Result> => {
    const end = performance.now() + longestTurn;
    for (;;) {
      const step = steps.next();
      if (step.done || performance.now() >= end) return step;
    }
  };
  for (;;) {
    const last = timed(what, takeTurn);
    if (last.done) return last.value;
  }
}

function plan(text: string, random: Random): void {
  const inputFormat = pick(random, ['auto', 'markdown', 'ssml', 'script'] as const);
  const given = inputFormat === 'ssml' ? `<speak>${text}</speak>` : text;
  const lexicon = [{ written: text.slice(0, 150) || 'a', spoken: 'b' }];
  const request = parseRequest({ text: given, inputFormat, lexicon, normalize: random(2) === 0, voices: { anna: {} } });
  const read = inTurns('reading', parseRequestText(request));
  const accepted = inTurns('accepting', acceptSteps(read, info));
  inTurns('planning', planSteps(accepted, info));
}

export const target: Target = {
  refusals: ['INVALID_REQUEST'],
  prepare: (folder) => writeFile(join(folder, file), JSON.stringify({ what: 'cleaning', text: 'Hello.', body: {} })),
  async mutate(_source, work, random) {
    const text = hostileText(random);
    const what = pick(random, ['plan', 'body', pick(random, stageNames), pick(random, stageNames)]);
    const body = what === 'body' ? hostileBody(random, text) : {};
    await writeFile(join(work, file), JSON.stringify({ what, text, body } satisfies Round));
    return `${what}: ${JSON.stringify(text.slice(0, 20))} … ${JSON.stringify(text.slice(-6))}`;
  },
  async run(work, random) {
    const { what, text, body } = JSON.parse(await readFile(join(work, file), 'utf8')) as Round;
    if (what === 'plan') plan(text, random);
    else if (ofCommands.includes(what)) runStage(what, text);
    else if (what !== 'body') inTurns(what, stageSteps(what, text));
    else {
      try {
        timed(what, () => parse(speechBody, body));
      } catch (error) {
        if (error instanceof SvcError) timed('the message', () => problemOf(error));
        throw error;
      }
    }
  },
};
