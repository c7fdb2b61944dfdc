/** Audio files that have a title, an author, a picture and chapters. */
import { z } from 'zod';
import { numberIn, oneOf, parse } from '../../validation.ts';
import type { Encoded, Encoder } from '../transform.ts';
import { type AudioFormatName, audioFormatNames, openEncoder } from './format.ts';
import { id3Tag } from './id3-tag.ts';
import { createFlacEncoder, createMp3Encoder, createOpusEncoder } from './libav-encode.ts';
import { createMp4Encoder } from './mp4-encode.ts';
import { type AudioSink, createFileSink, through } from './sink.ts';
import type { AudioTags } from './tags.ts';
import { vorbisComments } from './vorbis-comments.ts';

export type TaggedFormatName = AudioFormatName | 'mp4';

/** Formats that hold chapters. */
export const chapterFormats = ['mp4', 'mp3', 'ogg', 'opus', 'flac'] as const satisfies readonly TaggedFormatName[];

export interface TaggedFileOptions {
  readonly format: TaggedFormatName;
  /** Sample rate in Hz. */
  readonly sampleRate: number;
  /** Number of samples that will come. */
  readonly samples: number;
  /** Formats without tags, such as WAV, ignore them. */
  readonly tags: AudioTags;
}

const optionsSchema = z.object({
  format: oneOf([...audioFormatNames, 'mp4']),
  sampleRate: numberIn({ kind: 'integer', minimum: 1, maximum: 192_000 }),
  samples: numberIn({ kind: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  tags: z.object({}, { error: 'an object' }).loose(),
});

/** See `createFileSink`. The same samples and tags give the same bytes. @throws SvcError INVALID_REQUEST */
export async function createTaggedFile(path: string, options: TaggedFileOptions): Promise<AudioSink> {
  parse(optionsSchema, options, 'the options of createTaggedFile');
  const file = await createFileSink(path);
  const encoder = openTaggedEncoder(options);
  await encoder.catch(file.abort);
  return through(await encoder, file);
}

/** @throws SvcError like `openEncoder` */
export async function openTaggedEncoder(options: TaggedFileOptions): Promise<Encoder> {
  const { format, sampleRate, tags } = options;
  switch (format) {
    case 'mp4':
      return createMp4Encoder(options);
    case 'mp3':
      return behind(id3Tag(tags), await createMp3Encoder(sampleRate));
    case 'opus':
    case 'ogg':
      return createOpusEncoder(sampleRate, vorbisComments(tags));
    case 'flac':
      return createFlacEncoder(sampleRate, vorbisComments(tags));
    default:
      return openEncoder({ format, sampleRate });
  }
}

/** Puts bytes in front of what an encoder writes. */
function behind(prefix: Uint8Array, { push, flush, close }: Encoder): Encoder {
  let begun = false;
  const move = (encoded: Encoded): Encoded => {
    const moved = encoded.map(({ bytes, position }) =>
      position === undefined ? { bytes } : { bytes, position: position + prefix.length },
    );
    if (begun) return moved;
    begun = true;
    return [{ bytes: prefix }, ...moved];
  };
  return { push: async (samples) => move(await push(samples)), flush: async () => move(await flush()), close };
}
