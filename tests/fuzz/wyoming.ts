import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeEvent } from '../../src/wyoming/event.ts';
import { createEventReader, defaultEventLimits } from '../../src/wyoming/event-reader.ts';
import { parseRequest } from '../../src/wyoming/requests.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { pick, type Random } from './random.ts';
import type { Target } from './target.ts';

const file = 'events';

/** What a client sends: whole texts, texts in pieces, events for other services. */
export const validEvents: Buffer = Buffer.concat(
  [
    { type: 'describe' },
    { type: 'ping', data: { text: 'née' } },
    { type: 'synthesize', data: { text: 'Hello there.', voice: { name: 'alloy' }, text_format: 'text' } },
    { type: 'audio-chunk', data: { rate: 16_000, width: 2, channels: 1 }, payload: Buffer.alloc(300, '\n{"') },
    { type: 'synthesize-start', data: { voice: { name: 'alloy', speaker: '1' } } },
    { type: 'synthesize-chunk', data: { text: 'Hello' } },
    { type: 'synthesize-stop' },
    { type: 'select-program', data: { name: 'fake' } },
  ].map(encodeEvent),
);

const numbers = ['-1', '0', '1', '0.5', '65537', '1048577', '9007199254740993', '1e999', 'null', '"5"', '[]'];

/** Corrupts bytes anywhere, or the lengths of data and payloads. */
export function mutateEvents(original: Buffer, random: Random): { readonly bytes: Buffer; readonly change: string } {
  if (random(2) === 0) return mutateBytes(original, random);
  const lengths = [...original.toString('latin1').matchAll(/_length":(\d+)/g)];
  const { index, 0: field, 1: old = '' } = pick(random, lengths);
  const end = index + field.length;
  const number = random(3) === 0 ? String(Math.max(0, Number(old) - 2 + random(5))) : pick(random, numbers);
  const bytes = Buffer.concat([original.subarray(0, end - old.length), Buffer.from(number), original.subarray(end)]);
  return { bytes, change: `length ${old} at ${index} is ${number}` };
}

/** Events as they arrive at a server, in pieces of any size. */
export const target: Target = {
  refusals: ['INVALID_REQUEST', 'PAYLOAD_TOO_LARGE'],
  prepare: (folder) => writeFile(join(folder, file), validEvents),
  async mutate(source, work, random) {
    const { bytes, change } = mutateEvents(await readFile(join(source, file)), random);
    await writeFile(join(work, file), bytes);
    return change;
  },
  async run(work, random) {
    const bytes = await readFile(join(work, file));
    const reader = createEventReader(defaultEventLimits);
    for (let start = 0; start < bytes.length; ) {
      const end = start + 1 + random(200);
      for (const event of reader.push(bytes.subarray(start, end))) parseRequest(event);
      start = end;
    }
  },
};
