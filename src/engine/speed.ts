/** Speed of speech as a field of a request: the generated audio is stretched or shortened, its pitch stays. */
import { z } from 'zod';
import { pushInSlices } from '../audio/slices.ts';
import { concatenate } from '../float-arrays.ts';
import { numberIn, parse } from '../validation.ts';
import type { SpeechChunk, SpokenPart } from './long-text/speak.ts';
import { ranges } from './request.ts';
import { atSpeed } from './timing/time-sentences.ts';

const speedSchema = z.object({ speed: numberIn(ranges.speed).default(ranges.speed.default) });

/**
 * Separates the speed from the request for the model.
 *
 * @throws SvcError INVALID_REQUEST for a speed out of range
 */
export function takeSpeed<Request extends { readonly speed?: number | undefined }>(
  input: Request,
): { readonly request: Omit<Request, 'speed'>; readonly speed: number } {
  if (!Object.hasOwn(Object(input), 'speed')) return { request: input, speed: ranges.speed.default };
  const { speed: given, ...request } = input;
  return { request, speed: parse(speedSchema, { speed: given }).speed };
}

/** What the filter needs to know. */
export interface Pace {
  readonly sampleRate: number;
  readonly speed: number;
}

/** Changes the speed of each part; the last one includes what the filter held back. */
export async function* changeSpeedOfParts(
  parts: AsyncIterable<SpokenPart>,
  { sampleRate, speed }: Pace,
): AsyncGenerator<SpokenPart, void, undefined> {
  if (speed === 1) return yield* parts;
  const filter = await openFilter(sampleRate, speed);
  try {
    let held: SpokenPart | undefined;
    for await (const part of parts) {
      if (held !== undefined) yield held;
      const sentences = part.sentences && atSpeed(part.sentences, speed);
      held = { ...part, samples: await pushInSlices(filter, part.samples), sentences };
    }
    if (held !== undefined) yield { ...held, samples: concatenate([held.samples, filter.flush()]) };
  } finally {
    filter.close();
  }
}

/** Changes the speed of each chunk; one more, without a patch, has what the filter held back. */
export async function* changeSpeedOfChunks(
  chunks: AsyncIterable<SpeechChunk>,
  { sampleRate, speed }: Pace,
): AsyncGenerator<SpeechChunk, void, undefined> {
  if (speed === 1) return yield* chunks;
  const filter = await openFilter(sampleRate, speed);
  try {
    let last: SpeechChunk | undefined;
    for await (const chunk of chunks) {
      last = chunk;
      const sentences = chunk.sentences && { sentences: atSpeed(chunk.sentences, speed) };
      yield { ...chunk, samples: filter.push(chunk.samples), ...sentences };
    }
    if (last === undefined) return;
    yield { part: last.part, index: last.index + 1, patch: new Float32Array(0), samples: filter.flush() };
  } finally {
    filter.close();
  }
}

/** Loaded late: speech at speed 1 needs no FFmpeg. */
const openFilter = async (sampleRate: number, speed: number) =>
  (await import('../audio/resample/speed.ts')).createSpeed(sampleRate, speed);
