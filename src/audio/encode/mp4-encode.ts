/** Encodes AAC in MP4 (M4A, M4B) with Mediabunny, with chapter marks, the index in front of the audio. */
import { addSamples, loadMediabunny } from '../libraries/mediabunny.ts';
import type { EncodedBytes, Encoder } from '../transform.ts';
import { loadAacEncoder } from './aac-encode.ts';
import { assertCodingRate, bitsPerSecond } from './coding-rate.ts';
import { languageCode } from './language-code.ts';
import { completeIndex } from './mp4-chapters.ts';
import { type AudioTags, defined } from './tags.ts';

export interface Mp4Options {
  /** Sample rate in Hz. */
  readonly sampleRate: number;
  /** Number of samples that will come: the room for the index is reserved at the beginning. */
  readonly samples: number;
  readonly tags: AudioTags;
}

/** Offset of the brand, after size and type of the first box. */
const brandPosition = 8;
const audiobookBrand = Buffer.from('M4B ');
/** Media kind of iTunes. */
const audiobookKind = 2;

const packetSamples = 1_024;
/** Packets that the codec adds at both ends, and room for chapters: each packet reserves more than 30 bytes. */
const sparePackets = 64;
const sparePacketsPerChapter = 40;

/** The same samples and tags give the same bytes. @throws SvcError UNSUPPORTED_AUDIO, BACKEND_UNAVAILABLE */
export async function createMp4Encoder({ sampleRate, samples, tags }: Mp4Options): Promise<Encoder> {
  assertCodingRate('aac', sampleRate);
  const library = await loadMediabunny('mp4');
  await loadAacEncoder();
  const { AudioSampleSource, Mp4OutputFormat, Output, StreamTarget } = library;
  const { title, artist, album = title, track, picture, chapters = [], narrator, publisher, description, date } = tags;
  const pending: EncodedBytes[] = [];
  let end = 0;
  const place = (bytes: Uint8Array, position: number): void => {
    // Players sort audiobooks by the brand.
    if (position === 0) bytes.set(audiobookBrand, brandPosition);
    pending.push(position < end ? { bytes, position } : { bytes });
    end = Math.max(end, position + bytes.length);
  };
  let index: { readonly bytes: Uint8Array; readonly position: number } | undefined;
  const target = new StreamTarget(
    new WritableStream({ write: ({ data, position }) => place(Uint8Array.from(data), position) }),
  );
  const format = new Mp4OutputFormat({
    fastStart: 'reserve',
    onMoov: (data, position) => {
      index = { bytes: Uint8Array.from(data), position };
    },
  });
  const output = new Output({ format, target });
  output.setMetadataTags({
    ...{ title, album },
    ...(artist !== undefined && { artist, albumArtist: artist }),
    ...(track && { trackNumber: track.number, tracksTotal: track.total }),
    ...(picture && { images: [{ data: picture.bytes, mimeType: picture.mimeType, kind: 'coverFront' }] }),
    genre: 'Audiobook',
    raw: {
      stik: Uint8Array.of(audiobookKind),
      ...defined({ '©nrt': narrator, '©wrt': narrator, '©pub': publisher, desc: description, '©day': date }),
    },
  });
  const source = new AudioSampleSource({ codec: 'aac', bitrate: bitsPerSecond(sampleRate) });
  const packets = Math.ceil(samples / packetSamples) + sparePackets + sparePacketsPerChapter * chapters.length;
  const language = languageCode(tags.language ?? '');
  output.addAudioTrack(source, {
    maximumPacketCount: packets,
    ...(language !== undefined && { languageCode: language }),
  });
  await output.start();
  // The codec's own silence comes before the beginning, where players skip it.
  let count = -packetSamples;
  return {
    async push(data) {
      if (data.length === 0) return [];
      const at = count;
      count += data.length;
      await addSamples(library, source, { data, at, sampleRate });
      return pending.splice(0);
    },
    async flush() {
      await output.finalize();
      if (index !== undefined) {
        const { bytes, position: offset } = index;
        place(completeIndex(bytes, { offset, end, chapters }), offset);
      }
      return pending.splice(0);
    },
    close: () => void output.cancel().catch(() => undefined),
  };
}
