/** When sentences and words are heard: in events, in JSON, and as clients of Kokoro-FastAPI read it. */
import { describe, expect, it } from '@jest/globals';
import { decodeAudio } from '../../../src/audio/decode/read-audio.ts';
import { eventually } from '../../support/eventually.ts';
import { sharedServer } from '../test-server.ts';

const sampleRate = 16_000;
const wav = { response_format: 'wav', seed: 1 } as const;

const server = sharedServer({ backend: { firstLevel: 1, info: { patchSamples: 1600 } } });

// Each part is five patches of 0.1 s, all of them loud.
const script = { input: 'One two. [pause:1s] Three four.', input_format: 'script' };
const word = { level: 'word', method: 'estimated' } as const;
/** Both parts are spoken for half a second, with a second between them. */
const words = [
  { text: 'One', start: 0, end: 0.217, sentence: 0, ...word },
  { text: 'two.', start: 0.217, end: 0.5, sentence: 0, ...word },
  { text: 'Three', start: 1.5, end: 1.745, sentence: 1, ...word },
  { text: 'four.', start: 1.745, end: 2, sentence: 1, ...word },
];
const sentences = [
  { text: 'One two.', start: 0, end: 0.5, level: 'segment', sentence: 0, method: 'estimated' },
  { text: 'Three four.', start: 1.5, end: 2, level: 'segment', sentence: 1, method: 'estimated' },
];

interface Item {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Answer {
  readonly audio: string;
  readonly audio_format: string;
  readonly timestamps?: { readonly items: readonly Item[] };
}

const secondsOf = async (audio: string): Promise<number> =>
  (await decodeAudio(new Uint8Array(Buffer.from(audio, 'base64')))).samples.length / sampleRate;

const near = (items: readonly Item[]) =>
  items.map(({ start, end, ...rest }) => ({ ...rest, start: expect.closeTo(start, 1), end: expect.closeTo(end, 1) }));

const objectOf = async (body: object): Promise<Answer> => {
  const response = await server.speak({ ...wav, stream_format: 'json', ...body });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  return (await response.json()) as Answer;
};

describe('an object', () => {
  it('has the audio and the times of words, in the shape of the official tool', async () => {
    const answer = await objectOf({ ...script, timestamps: 'word' });
    expect(answer).toEqual({
      audio: expect.any(String),
      audio_format: 'audio/wav',
      sample_rate: sampleRate,
      seed: 1,
      timestamps: {
        sample_rate: sampleRate,
        backend: 'svc',
        level: 'word',
        text: 'One two. Three four.',
        items: near(words),
      },
      warnings: [],
    });
    expect(await secondsOf(answer.audio)).toBeCloseTo(2, 1);
  });

  it('has the times of sentences', async () => {
    const { timestamps } = await objectOf({ ...script, timestamps: 'sentence' });
    expect(timestamps).toMatchObject({ level: 'segment', items: near(sentences) });
  });

  it.each([0.5, 2])('has the times of the audio at speed %d', async (speed) => {
    const { audio, timestamps } = await objectOf({ ...script, timestamps: 'word', speed });
    expect(timestamps?.items).toEqual(
      near(words.map((item) => ({ ...item, start: item.start / speed, end: item.end / speed }))),
    );
    expect(timestamps?.items.at(-1)?.end).toBeCloseTo(await secondsOf(audio), 1);
  });

  it('has a file with its length in the header', async () => {
    const audio = Buffer.from((await objectOf(script)).audio, 'base64');
    expect([audio.readUInt32LE(4), audio.readUInt32LE(40)]).toEqual([audio.length - 8, audio.length - 44]);
  });

  it('has no times unless they are requested', async () => {
    const answer = await objectOf(script);
    expect(Object.keys(answer)).toEqual(['audio_format', 'sample_rate', 'seed', 'audio', 'warnings']);
    expect(await secondsOf(answer.audio)).toBeCloseTo(2, 1);
  });

  it('is empty of times for a text without words', async () => {
    const { timestamps } = await objectOf({ input: '...', timestamps: 'word' });
    expect(timestamps).toMatchObject({ text: '', items: [] });
  });

  it.each(['mp3', 'opus', 'flac', 'pcm'])('has the bytes of a file of %s', async (format) => {
    const { audio } = await objectOf({ ...script, response_format: format, retry_badcase: true });
    const file = await server.hear({ ...script, ...wav, response_format: format, retry_badcase: true });
    expect(Buffer.from(audio, 'base64').length).toBe(file.length);
  });

  it('has warnings', async () => {
    const input = '<speak><wobble>One</wobble></speak>';
    expect(await objectOf({ input, timestamps: 'word' })).toMatchObject({
      warnings: [expect.stringContaining('wobble')],
    });
  });
});

describe('events', () => {
  const eventsOf = async (body: object, query = '') => {
    const response = await server.post(`/v1/audio/speech${query}`, { ...wav, stream_format: 'sse', ...body });
    const lines = (await response.text()).match(/^data: .*$/gm) ?? [];
    return lines.map((line) => JSON.parse(line.slice(6)) as { type: string; items?: readonly Item[] });
  };
  it.each([
    ['public', 'speech.audio.timestamps', 'speech.audio.done'],
    ['native', 'audio.timestamps', 'audio.completed'],
  ])('of the %s kind have the times of each part after its audio', async (kind, type, last) => {
    const events = await eventsOf({ ...script, timestamps: 'word' }, `?events=${kind}`);
    expect(events.at(-1)?.type).toBe(last);
    const timed = events.filter((event) => event.type === type);
    expect(timed.map(({ items }) => items)).toEqual([near(words.slice(0, 2)), near(words.slice(2))]);
    expect(events.findIndex((event) => event.type === type)).toBeGreaterThan(0);
  });

  it('have the times of sentences', async () => {
    const events = await eventsOf({ ...script, timestamps: 'sentence', speed: 2 });
    const items = events.flatMap((event) => event.items ?? []);
    expect(items).toEqual(near(sentences.map((item) => ({ ...item, start: item.start / 2, end: item.end / 2 }))));
  });

  it('have none unless they are requested', async () => {
    const types = (await eventsOf({ ...script, timestamps: 'none' })).map(({ type }) => type);
    expect(new Set(types)).toEqual(new Set(['speech.audio.delta', 'speech.audio.done']));
  });
});

describe('timestamps', () => {
  it('end with their request', async () => {
    const release = server.backend.hold();
    const response = server.speak({ ...script, timestamps: 'word', stream_format: 'json' });
    await eventually(() => server.queue.active === 1, 'it runs');
    await server.post('/v1/audio/speech/cancel', {});
    release();
    expect((await response).status).toBe(499);
    await eventually(() => server.backend.opened.every(({ closed }) => closed), 'all sessions are closed');
  });

  it('count in the metrics', async () => {
    const seconds = async (): Promise<number> =>
      Number(/^svc_audio_seconds_total\{[^}]*\} (\S+)/m.exec(await server.text('/metrics'))?.[1]);
    await objectOf({ ...script, timestamps: 'word' });
    const before = await seconds();
    await objectOf({ ...script, timestamps: 'word' });
    expect((await seconds()) - before).toBeCloseTo(2, 1);
  });
});

describe('a client of Kokoro-FastAPI', () => {
  interface Captioned {
    readonly audio: string;
    readonly audio_format: string;
    readonly timestamps: readonly { readonly word: string; readonly start_time: number; readonly end_time: number }[];
  }

  const captioned = (body: object): Promise<Response> => server.post('/dev/captioned_speech', body);
  const usual = { model: 'kokoro', input: script.input, voice: 'default', speed: 1.0, response_format: 'wav' };
  const request = (body: object): Promise<Response> => captioned({ ...usual, ...body });
  const linesOf = async (response: Response): Promise<readonly Captioned[]> =>
    (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Captioned);

  const expected = words.map(({ text, start, end }) => ({
    word: text,
    start_time: expect.closeTo(start, 1),
    end_time: expect.closeTo(end, 1),
  }));

  it('gets an object', async () => {
    const response = await request({ stream: false });
    const { audio, ...rest } = (await response.json()) as Captioned;
    expect(rest).toEqual({ audio_format: 'audio/wav', timestamps: expected });
    expect(await secondsOf(audio)).toBeCloseTo(2, 1);
  });

  it('gets a line for each part', async () => {
    const lines = await linesOf(await request({ stream: true }));
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.flatMap(({ timestamps }) => timestamps)).toEqual(expected);
    expect(lines[0]?.timestamps).toHaveLength(2);
    const file = Buffer.concat(lines.map(({ audio }) => Buffer.from(audio, 'base64')));
    expect(await secondsOf(file.toString('base64'))).toBeCloseTo(2, 1);
  });

  it('may send mp3, which holds audio back, and leave out everything but the text', async () => {
    const lines = await linesOf(await captioned({ input: 'One two. Three four.' }));
    const spoken = lines.flatMap(({ timestamps }) => timestamps.map((item) => item.word));
    expect(spoken.join(' ')).toBe('One two. Three four.');
    expect(lines.every(({ audio, audio_format }) => audio.length > 0 && audio_format === 'audio/mpeg')).toBe(true);
  });

  it('may do without times, and send SSML', async () => {
    const silent = await (await request({ stream: false, return_timestamps: false })).json();
    expect(silent).toMatchObject({ timestamps: [] });
    const spoken = await request({ stream: false, ssml: true, input: '<speak>One <break time="1s"/> two</speak>' });
    expect(((await spoken.json()) as Captioned).timestamps.map((item) => item.word)).toEqual(['One', 'two']);
  });
});
