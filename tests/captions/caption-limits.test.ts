/** Files of captions that are made to take more work than their length. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { endOfCues } from '../../src/captions/end-of-cues.ts';
import { fileLimits } from '../../src/captions/parse-captions.ts';
import { readCaptionFile, readCaptions } from '../../src/captions/read-captions.ts';
import { yieldToEventLoop } from '../../src/event-loop.ts';
import { countedCopy, growthOf } from '../support/work.ts';

type Reader = typeof import('../../src/captions/read-captions.ts');
const counted = await countedCopy<Reader>('src/captions/read-captions.ts');

const clock = (seconds: number, mark: ',' | '.'): string =>
  `${new Date(seconds * 1000).toISOString().slice(11, 19)}${mark}000`;
const subRip = (count: number, text: string): string => {
  const cue = (at: number) => `${at + 1}\n${clock(at, ',')} --> ${clock(at + 1, ',')}\n${text}\n`;
  return Array.from({ length: count }, (_, at) => cue(at)).join('\n');
};
const webVtt = (text: string, count = 1, settings = ''): string => {
  const cue = (at: number) => `${clock(at, '.')} --> ${clock(at + 1, '.')}${settings}\n${text}\n`;
  return `WEBVTT\n\n${Array.from({ length: count }, (_, at) => cue(at)).join('\n')}`;
};

afterEach(() => {
  jest.restoreAllMocks();
});

/** Turns of the event loop until a call is over, with a clock that finds at each look that a turn has taken long. */
async function turnsOf(run: () => Promise<unknown>, onTurn: (turn: number) => unknown = () => undefined) {
  let [now, turns, isOver] = [0, 0, false];
  jest.spyOn(performance, 'now').mockImplementation(() => {
    now += 1_000;
    return now;
  });
  const ended = run().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    turns += 1;
    onTurn(turns);
    await yieldToEventLoop();
  }
  await ended;
  return turns;
}

it('takes work in proportion to the length of a file', async () => {
  const files: readonly ((size: number) => string)[] = [
    (size) => subRip(1, 'Hello.') + '\n'.repeat(size),
    (size) => subRip(size / 40, 'Hello there.'),
    (size) => subRip(1, '♪ a\n'.repeat(size / 64)),
    (size) => webVtt('<v Anna>Hello <i>there</i> &amp; you.', size / 60),
    (size) => webVtt('<i>a</i>'.repeat(1_000), size / 8_000),
    (size) => webVtt('a '.repeat(size / 8)),
    (size) => webVtt('Hello.', 1, ' a:b'.repeat(size / 4)),
    (size) => `REGION ${'a:b '.repeat(size / 4)}\n\n${webVtt('Hello.')}`,
    (size) => webVtt(`${'align:x '.repeat(size / 8)}\nHello.`),
    (size) => `WEBVTT\n\n00:01.000${' '.repeat(size)}-->${' '.repeat(size)}00:02.000\nHello.\n`,
    (size) => webVtt('<00:00:00.500><c> a</c>'.repeat(size / 200), 4),
  ];
  const read = (text: string) => counted.readCaptions(text).catch((error: Error) => error.message);
  const growths: number[] = [];
  for (const file of files) growths.push(await growthOf((size) => read(file(size)), 8_000, 32_000));
  expect(growths.filter((growth) => growth > 4.3)).toEqual([]);
});

it('lets others use the event loop between its lines', async () => {
  const read = async () => expect(await readCaptions(`${subRip(1, 'Hello.')}${'\n'.repeat(13_000)}`)).toHaveLength(1);
  expect(await turnsOf(read)).toBeGreaterThan(100);
});

it('stops reading when it is canceled, whatever it does', async () => {
  const text = subRip(4_000, 'ANNA: [door slams] Hello there.');
  for (const most of [20, 400, 5_000]) {
    const controller = new AbortController();
    const read = () => expect(readCaptionFile(text, { signal: controller.signal })).rejects.toThrow('aborted');
    expect(await turnsOf(read, (turn) => turn === most && controller.abort())).toBeLessThan(most + 10);
  }
});

describe('refuses', () => {
  const speakers = Array.from({ length: 1_001 }, (_, name) => `<v ${name}>a</v>`);
  const long = 'a'.repeat(fileLimits.characters + 1);
  it.each([
    ['tags within each other', webVtt('<b>'.repeat(8_000)), 'the caption 1 nests more than 64 tags'],
    ['speakers within each other', webVtt('<v a>'.repeat(5_000)), 'the caption 1 nests more than 64 tags'],
    ['a long caption', subRip(1, 'a'.repeat(65_537)), 'the caption 1 has more than 65536 characters'],
    ['a caption of many lines', subRip(1, 'a\n'.repeat(1_001)), 'the caption 1 has more than 1000 lines'],
    ['many speakers', webVtt(speakers.join(' ')), 'there are more speakers than the limit of 1000'],
    ['a long file', long, 'the captions have 16777217 characters; the limit is 16777216'],
  ])('%s', async (_, text, message) => {
    await expect(readCaptions(text)).rejects.toThrow(message);
  });

  it('more captions than a limit, before it has read them all', async () => {
    const text = `${subRip(11, 'Hello.')}\n12\n00:00:05,000 --> x\n`;
    await expect(readCaptions(text, { captions: 10 })).rejects.toThrow('there are more captions than the limit of 10');
  });
});

it('reads captions timed word by word, whose times the library puts within each other', async () => {
  const text = webVtt('Hello<00:00:00.100><c> and</c>'.repeat(100));
  const [cue] = await readCaptions(text);
  expect(cue?.text).toBe(`Hello and${'Hello and'.repeat(99)}`);
});

it('knows the end of more captions than a function takes arguments', () => {
  expect(endOfCues(Array.from({ length: 200_000 }, (_, end) => ({ end })))).toBe(199_999);
});
