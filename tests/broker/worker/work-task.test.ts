import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { protocolVersion } from '../../../src/broker/shared/keys.ts';
import { type TaskKind, toEvent } from '../../../src/broker/shared/task.ts';
import { workTask } from '../../../src/broker/worker/work-task.ts';
import type { LiveSegment } from '../../../src/engine/live/live-text.ts';
import type { SpeechEvent } from '../../../src/engine/speech-event.ts';
import { SvcError } from '../../../src/errors.ts';
import { createObjectStore, type ObjectStore } from '../../../src/speech-files/object-store.ts';
import { createMemoryAnswers, type MemoryAnswers } from '../memory-answers.ts';
import { prepareTask as prepare } from '../prepare-task.ts';

const never = new AbortController().signal;

const request = { text: 'Hello there.', seed: 7 };

const toTexts = (details: object): readonly string[] =>
  ((details as Partial<SpeechEvent>).sentences ?? []).map(({ text }) => text);

/** Works a task; returns how it was prepared, and how it ended. */
async function work(
  kind: TaskKind,
  given: object,
  options: Parameters<typeof prepare>[3] = {},
  answers = createMemoryAnswers(),
) {
  const prepared = prepare(kind, given, answers, options);
  return { ...prepared, answers, worked: await workTask(prepared.context, prepared.task, never) };
}
async function direct(): Promise<readonly number[]> {
  const { engine } = prepare('speech', request, createMemoryAnswers());
  return [...(await engine.synthesize({ ...request, retryBadcase: false })).samples];
}

describe('workTask', () => {
  it('sends the same audio as the engine, piece by piece', async () => {
    const { answers, worked } = await work('speech', request);
    expect(worked).toEqual({ end: 'done', made: answers.received.length });
    expect(answers.received).toEqual(await direct());
    expect(answers.outcome).toMatchObject({ kind: 'done' });
    expect(answers.pieces.length).toBeGreaterThan(5);
    expect(answers.pieces.at(-1)?.details).toMatchObject({ part: 0, end: 'stop' });
  });

  it('speaks the segments of a live text, and says how many it has taken', async () => {
    const segments: readonly LiveSegment[] = [
      { text: 'Hello there. ', ends: 'in paragraph' },
      { text: 'Good evening.', ends: 'text' },
    ];
    const { answers, engine } = await work('speech', { seed: 7 }, { segments, timestamps: 'words' });
    expect(answers.outcome).toMatchObject({ kind: 'done' });
    async function* text() {
      yield* ['Hello there. ', 'Good evening.'];
    }
    const alone: number[] = [];
    for await (const { samples } of engine.stream({ text: text(), seed: 7, firstClause: false }))
      alone.push(...samples);
    const taken = answers.pieces.map(({ details }) => (details as { readonly taken: number }).taken);
    expect(taken.at(-1)).toBe(2);
    expect(answers.pieces.flatMap(({ details }) => toTexts(details))).toEqual(['Hello there.', 'Good evening.']);
    expect(answers.received.length).toBeGreaterThanOrEqual(alone.length);
  });

  it('writes files to objects, and nothing to paths', async () => {
    const uploads: [url: string, bytes: number][] = [];
    const objects: ObjectStore = {
      ...createObjectStore({}),
      upload: async (path, url) => void uploads.push([url, readFileSync(path).length]),
    };
    const speak = async (path: string) => {
      const answers = createMemoryAnswers();
      const file = { path, format: 'wav', sampleFormat: 's16', captions: `${path}.srt` };
      const { task, context } = prepare('file', { request, file }, answers);
      return { ...(await workTask({ ...context, objects }, task, never)), outcome: answers.outcome };
    };
    const samples = (await direct()).length;
    const { outcome, ...worked } = await speak('s3://bucket/a/hello.wav');
    expect(worked).toEqual({ end: 'done', made: samples });
    expect(outcome).toMatchObject({ kind: 'done', result: { samples, seed: 7, bytes: 44 + 2 * samples } });
    expect(uploads).toEqual([
      ['s3://bucket/a/hello.wav', 44 + 2 * samples],
      ['s3://bucket/a/hello.wav.srt', expect.any(Number)],
    ]);
    const path = join(tmpdir(), 'svc-task.wav');
    expect(await speak(path)).toMatchObject({ end: 'failed', outcome: { code: 'INVALID_REQUEST' } });
    expect(existsSync(path)).toBe(false);
  });

  it('continues where another worker died', async () => {
    const dying = new AbortController();
    const answers = createMemoryAnswers((count) => {
      if (count === 4) dying.abort(new SvcError('CANCELLED', 'the worker dies'));
    });
    const first = prepare('speech', request, answers);
    await expect(workTask(first.context, first.task, dying.signal)).rejects.toThrow('the worker dies');
    expect(answers.outcome).toBeUndefined();
    const before = answers.received.length;
    await work('speech', request, {}, answers);
    expect(answers.received).toEqual(await direct());
    expect(answers.pieces.some(({ start }) => start === before)).toBe(true);
    expect(answers.outcome).toMatchObject({ kind: 'done' });
  });

  it('gives the same answer when two workers run the task', async () => {
    const answers = createMemoryAnswers();
    const workers = [prepare('speech', request, answers), prepare('speech', request, answers)];
    await Promise.all(workers.map(({ context, task }) => workTask(context, task, never)));
    expect(answers.received).toEqual(await direct());
  });

  it('computes nothing when the listener is gone or the task has ended', async () => {
    for (const end of [(answers: MemoryAnswers) => answers.leave(), (answers: MemoryAnswers) => finish(answers)]) {
      const answers = createMemoryAnswers();
      end(answers);
      const { backend, worked } = await work('speech', request, {}, answers);
      expect(worked).toEqual({ end: 'left', made: 0 });
      expect(backend.calls).toEqual([]);
    }
  });

  it('stops within a step when the listener leaves', async () => {
    const answers = createMemoryAnswers((count) => {
      if (count === 3) answers.leave();
    });
    const { backend, worked } = await work('speech', request, { stopAt: 1000 }, answers);
    expect(worked.end).toBe('left');
    expect(backend.log.filter((call) => call.startsWith('step')).length).toBeLessThanOrEqual(6);
    expect(backend.opened.every(({ closed }) => closed)).toBe(true);
  });

  it('stops when the listener reads nothing for too long', async () => {
    const answers = createMemoryAnswers((count) => {
      if (count === 3) prepared.leaving.abort();
    });
    const prepared = prepare('speech', request, answers, { stopAt: 1000 });
    expect((await workTask(prepared.context, prepared.task, never)).end).toBe('left');
    expect(answers.outcome).toBeUndefined();
  });

  it('reports errors to the listener', async () => {
    const message = 'out of memory in a step';
    const onCall = (): void => {
      throw new SvcError('OUT_OF_MEMORY', message);
    };
    const { answers, worked } = await work('speech', request, { onCall });
    expect(worked.end).toBe('failed');
    expect(answers.outcome).toEqual({ kind: 'failed', code: 'OUT_OF_MEMORY', message });
  });

  it('refuses tasks for another model', async () => {
    const answers = createMemoryAnswers();
    const { task, context } = prepare('speech', request, answers);
    expect((await workTask(context, { ...task, model: 'other' }, never)).end).toBe('failed');
    expect(answers.outcome).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('generates parts, and encodes recordings', async () => {
    const { answers: parts } = await work('speech', { ...request, retryBadcase: true }, { mayRetract: true });
    expect(parts.received).toEqual(await direct());
    expect(parts.pieces[0]?.details).toMatchObject({
      part: 0,
      text: 'Hello there.',
      attempts: [{ part: 1, seed: 7 }],
      end: 'stop',
    });

    const audio = { samples: new Float32Array(64).fill(0.5), sampleRate: 16_000, channels: 1 };
    const { answers, engine } = await work('encode', { audio, role: 'prompt' });
    expect(answers.received).toEqual([...(await engine.encode(audio, 'prompt')).patches]);
  });
});

describe('scripts', () => {
  const info = { patchSamples: 1600 };
  const voice = (value: number) => ({
    promptAudio: { role: 'prompt' as const, patches: new Float32Array(60).fill(value) },
    promptText: 'The words of the recording.',
  });
  const script = {
    text: JSON.stringify([
      { voice: 'anna', text: 'The gif.', pause: 1 },
      { voice: 'ben', text: 'Bye.' },
    ]),
    inputFormat: 'turns' as const,
    voices: { anna: voice(0.25), ben: voice(0.75) },
    lexicon: [{ written: 'gif', spoken: 'jif' }],
    seed: 7,
  };

  it('reach the model with voices and pronunciations, and come back with timestamps', async () => {
    const options = { firstLevel: 1, stopAt: 4, info, timestamps: 'words' as const, mayRetract: true };
    const { answers, backend, worked } = await work('speech', script, options);
    expect(worked.end).toBe('done');
    expect(backend.prefixes.map(({ features }) => features.includes(0.25))).toEqual([true, false]);
    expect(backend.prefixes.map(({ features }) => features.includes(0.75))).toEqual([false, true]);
    const parts = answers.pieces.map(toEvent);
    expect(parts.map(({ text }) => text)).toEqual(['The jif.', 'Bye.']);
    const [first, second] = parts.flatMap(({ sentences = [] }) => sentences);
    expect(first).toMatchObject({ text: 'The jif.', method: 'estimated', words: [{ text: 'The' }, { text: 'jif.' }] });
    expect(second?.start).toBeCloseTo(1.5, 1);
    expect(second?.end).toBeCloseTo(answers.received.length / 16_000, 1);
  });

  it('have no timestamps unless they are requested', async () => {
    const { answers } = await work('speech', script, { firstLevel: 1, stopAt: 4, info, mayRetract: true });
    expect(answers.pieces.map(toEvent).map(({ sentences }) => sentences)).toEqual([undefined, undefined]);
  });

  it('are refused if the broker has lost their recordings', async () => {
    const answers = createMemoryAnswers();
    const { task, context } = prepare('speech', script, answers);
    const redis = { getBuffer: async () => null } as unknown as typeof context.redis;
    await workTask({ ...context, redis }, task, never);
    const message = expect.stringContaining('promptAudio must be non-empty');
    expect(answers.outcome).toMatchObject({ code: 'INVALID_REQUEST', message });
  });
});

describe('the details of a piece', () => {
  const piece = { start: 0, samples: new Float32Array(1), warnings: [] };
  const details = { part: 0, text: 'a', patches: 1, end: 'stop', seed: 1, attempts: [] };
  const sentence = { text: 'a', start: 0, end: 1, words: [], method: 'estimated' };

  it('are parsed', () => {
    expect(toEvent({ ...piece, details: { ...details, sentences: [sentence] } })).toMatchObject({
      sentences: [sentence],
    });
    expect(toEvent({ ...piece, details: { patches: 1, part: 0 } })).toMatchObject({ patches: 1, part: 0 });
  });

  it.each([
    ['an end that is unknown', { ...details, end: 'soon' }],
    ['no part', { ...details, part: undefined }],
    ['times that are none', { ...details, sentences: [{ ...sentence, start: '0' }] }],
    ['another method', { ...details, sentences: [{ ...sentence, method: 'guessed' }] }],
  ])('are refused with %s', (_, wrong) => {
    expect(() => toEvent({ ...piece, details: wrong })).toThrow('different versions of svc');
  });
});

const finish = (answers: MemoryAnswers): void => void answers.finish({ task: 'one', news: '' }, { kind: 'done' });

it('refuses tasks of another protocol version', async () => {
  const answers = createMemoryAnswers();
  const { task, context, backend } = prepare('speech', request, answers);
  const other = { ...task, version: protocolVersion + 1, text: 'of a form that is not known here' };
  expect(await workTask(context, other, never)).toEqual({ end: 'failed', made: 0 });
  expect(answers.outcome).toMatchObject({ code: 'BACKEND_UNAVAILABLE', message: expect.stringContaining('versions') });
  expect(backend.opened).toEqual([]);
});

describe('warnings', () => {
  const text = 'hello 你好';

  it('come with the first piece that has audio', async () => {
    const { answers } = await work('speech', { ...request, text });
    expect(answers.pieces.map(({ warnings }) => warnings.length)).toEqual([1, ...answers.pieces.slice(1).map(() => 0)]);
    expect(answers.pieces[0]?.warnings[0]).toContain('你好');
  });

  it('come with the outcome if they arise at the end', async () => {
    const { answers } = await work('speech', request, { loudness: () => 0, mayRetract: true });
    expect(answers.pieces.at(-1)?.warnings).toEqual(['the speech is silent; try another seed or another text']);
    expect(answers.outcome).toEqual({ kind: 'done', warnings: [] });
  });
});
