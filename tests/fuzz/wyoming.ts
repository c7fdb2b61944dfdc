import { encodeEvent } from '../../src/wyoming/events.ts';
import { longest } from '../engine/hostile-texts.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { pick, type Random } from './random.ts';
import { createServedTarget, exchange } from './served.ts';
import { hostileText } from './text.ts';

/** Messages of a client: whole texts, texts in pieces, events for other services. */
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

/** Texts of the first event that speaks, in place of its own. */
function withText(random: Random): Buffer {
  const text = hostileText(random).slice(0, pick(random, [300, 4000, longest]));
  const chunk = { type: 'synthesize-chunk', data: { text } };
  const live = [{ type: 'synthesize-start' }, chunk, { type: 'synthesize-stop' }];
  return Buffer.concat((random(2) === 0 ? live : [{ type: 'synthesize', data: { text } }]).map(encodeEvent));
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');

/** Events as they arrive at a server, in pieces of any size. */
export const target = createServedTarget<{ readonly events: string }>({
  valid: { events: base64(validEvents) },
  mutate(random) {
    if (random(4) === 0) return { round: { events: base64(withText(random)) }, change: 'a hostile text' };
    const { bytes, change } = mutateEvents(validEvents, random);
    return { round: { events: base64(bytes) }, change };
  },
  async send({ wyomingPort }, { events }, random) {
    const answer = await exchange(wyomingPort, Buffer.from(events, 'base64'), random);
    return answer.includes('"type":"error"') ? 'refused' : 'used';
  },
});
