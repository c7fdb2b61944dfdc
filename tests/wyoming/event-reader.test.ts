import { expect, it } from '@jest/globals';
import type { SvcError } from '../../src/errors.ts';
import { createEventReader, defaultEventLimits, encodeEvent, type WyomingEvent } from '../../src/wyoming/events.ts';

const limits = { lineBytes: 200, dataBytes: 100, payloadBytes: 100 };

function read(bytes: Buffer, pieceBytes = bytes.length): { events: WyomingEvent[]; isInside: boolean; error?: string } {
  const reader = createEventReader(limits);
  const events: WyomingEvent[] = [];
  try {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      events.push(...reader.push(bytes.subarray(start, start + pieceBytes)));
    }
  } catch (error) {
    return { events, isInside: reader.isInside, error: `${(error as SvcError).code}: ${(error as Error).message}` };
  }
  return { events, isInside: reader.isInside };
}

const line = (header: object | string): Buffer =>
  Buffer.from(`${typeof header === 'string' ? header : JSON.stringify(header)}\n`);

it.each([1, 2, 3, 7, 1000])('reads the same events from pieces of %i bytes', (pieceBytes) => {
  const data = Buffer.from('{"text":"née"}');
  const bytes = Buffer.concat([
    line({ type: 'ping', data: { text: 'a' } }),
    line({ type: 'synthesize', version: '1.0', data: { text: 'old', kept: 1 }, data_length: data.length }),
    data,
    line({ type: 'audio-chunk', payload_length: 3 }),
    Buffer.from('\n{"'),
    line({ type: 'describe', data: null, data_length: null, payload_length: 0 }),
  ]);
  expect(read(bytes, pieceBytes)).toEqual({
    events: [
      { type: 'ping', data: { text: 'a' } },
      { type: 'synthesize', data: { text: 'née', kept: 1 } },
      { type: 'audio-chunk', data: {} },
      { type: 'describe', data: {} },
    ],
    isInside: false,
  });
});

it('reads what it writes', () => {
  const event = { type: 'pong', data: { text: 'née\n' } };
  const reader = createEventReader(defaultEventLimits);
  expect([...reader.push(encodeEvent({ ...event, payload: Buffer.from('\n\n') }))]).toEqual([event]);
});

it('knows whether an event is incomplete', () => {
  expect(read(Buffer.from('{')).isInside).toBe(true);
  expect(read(line({ type: 'a', data_length: 5 })).isInside).toBe(true);
  expect(read(line({ type: 'a', payload_length: 5 })).isInside).toBe(true);
});

it.each([
  ['{"type": "a"', 'INVALID_REQUEST: the line of an event is not JSON'],
  ['', 'INVALID_REQUEST: the line of an event is not JSON'],
  ['\x00\xff', 'INVALID_REQUEST: the line of an event is not JSON'],
  ['[]', 'INVALID_REQUEST: the line of an event must be a JSON object'],
  ['{}', 'INVALID_REQUEST: the line of an event has an invalid type'],
  ['{"type": 1}', 'INVALID_REQUEST: the line of an event has an invalid type'],
  ['{"type": "a", "data": []}', 'INVALID_REQUEST: the line of an event has an invalid data'],
  ['{"type": "a", "data_length": -1}', 'INVALID_REQUEST: the line of an event has an invalid data_length'],
  ['{"type": "a", "data_length": 0.5}', 'INVALID_REQUEST: the line of an event has an invalid data_length'],
  ['{"type": "a", "payload_length": "1"}', 'INVALID_REQUEST: the line of an event has an invalid payload_length'],
  ['{"type": "a", "data_length": 101}', 'PAYLOAD_TOO_LARGE: data_length must be at most 100 bytes, got 101'],
  ['{"type": "a", "payload_length": 9007199254740991}', 'PAYLOAD_TOO_LARGE: payload_length must be at most 100 bytes'],
  ['{"type": "a", "data_length": 3}\n[1]', 'INVALID_REQUEST: the data of an event must be a JSON object'],
  ['{"type": "a", "data_length": 3}\n{"a', 'INVALID_REQUEST: the data of an event is not JSON'],
  [`{"type": "${'a'.repeat(200)}"}`, 'PAYLOAD_TOO_LARGE: the line of an event is longer than the limit of 200 bytes'],
])('refuses %j', (text, message) => {
  for (const pieceBytes of [1, 1000]) expect(read(line(text), pieceBytes).error).toContain(message);
});

it('refuses an endless line as soon as it is too long', () => {
  expect(read(Buffer.alloc(201, 'a'), 1).error).toContain('longer than the limit');
  expect(read(Buffer.alloc(200, 'a'), 1).error).toBeUndefined();
});
