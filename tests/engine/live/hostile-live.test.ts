/** Texts that are still being written, of which no piece can be spoken: each is cut all the same, and only once. */
import { expect, it } from '@jest/globals';
import { cutLive } from '../../../src/engine/live/cut-live.ts';
import { textWindow } from '../../../src/engine/live/read-ahead.ts';
import { resolveFields } from '../../../src/engine/request.ts';
import { rounds } from '../../support/rounds.ts';
import { fakeInfo } from '../fake-backend.ts';
import { characters, repeated } from '../hostile-texts.ts';

const length = rounds(1.25, 3) * textWindow;
const pieces = [...characters, '``` ', '~`', '```\n', '|-', '[^a]: ', '---\na: ', '$$', '**a', '](', '<a', '1. '];

it.each(pieces.map((piece) => [JSON.stringify(piece), piece]))('%s over and over', async (_name, piece) => {
  async function* written(): AsyncGenerator<string> {
    yield repeated(piece, length);
  }
  const { signal } = new AbortController();
  let cut = 0;
  for await (const { text } of cutLive({ text: written(), request: resolveFields({}), info: fakeInfo, signal })) {
    cut += text.length;
    // A part of it may be repeated to open a block again.
    if (cut > 1.1 * length) break;
  }
  expect(cut).toBeLessThan(1.1 * length);
});
