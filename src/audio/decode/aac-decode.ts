/**
 * Decodes AAC in M4A, MP4, Matroska and ADTS, and PCM in MOV: demuxed by Mediabunny; AAC is decoded by Symphonia (Rust)
 * through node-web-audio-api.
 *
 * Symphonia reads MP4 only if the index comes first, and ignores edit lists. So packets are counted, remuxed to ADTS,
 * and samples before the start of the recording are cut here.
 */
import type { EncodedPacket, EncodedPacketSink, InputAudioTrack } from 'mediabunny';
import { SvcError } from '../../errors.ts';
import { sanitizeLine } from '../../messages.ts';
import type { Audio } from '../audio.ts';
import { loadMediabunny, type Mediabunny } from '../libraries/mediabunny.ts';
import { loadWebAudio } from '../libraries/web-audio.ts';
import { type DecodeLimits, tooLong, unsupported } from './decode-limits.ts';
import { createMonoCollector } from './mono-collector.ts';
import { decodeSamples, type SampleCoding, type StoredSamples } from './pcm-samples.ts';
import { describeBytes } from './signature.ts';

/** The used part of the Web Audio API; its own types would add those of browsers. */
interface WebAudio {
  readonly OfflineAudioContext: new (
    channels: number,
    length: number,
    sampleRate: number,
  ) => { decodeAudioData(bytes: ArrayBuffer): Promise<DecodedBuffer> };
}

interface DecodedBuffer {
  readonly numberOfChannels: number;
  readonly sampleRate: number;
  getChannelData(channel: number): Float32Array;
}

/** @throws SvcError UNSUPPORTED_AUDIO and others, like `decodeAudio` */
export async function decodeAac(bytes: Uint8Array, limits: DecodeLimits): Promise<Audio> {
  const name = describeBytes(bytes);
  const mediabunny = await loadMediabunny('m4a');
  const { ADTS, BufferSource, EncodedPacketSink, Input, MATROSKA, MP4, QTFF } = mediabunny;
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4, QTFF, ADTS, MATROSKA] });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (track === null) throw unsupported(`the ${name} contains no audio`);
    const { numberOfChannels, sampleRate } = track;
    const stored = pcmCodecs.get(track.codec ?? '');
    if (stored !== undefined) {
      const data = await packetBytes(new EncodedPacketSink(track), limits);
      return decodeSamples(data, { ...stored, file: name, channels: numberOfChannels, sampleRate }, limits);
    }
    if (track.codec !== 'aac')
      throw unsupported(
        `the ${name} has the unsupported codec ${await codecOf(track)}; only AAC and PCM are supported`,
      );
    if (numberOfChannels > mostChannels)
      throw unsupported(
        `the ${name} has ${numberOfChannels} channels of AAC; convert it to stereo, or to WAV, which may have any number`,
      );
    const { OfflineAudioContext } = await loadWebAudio<WebAudio>('reading M4A and AAC');
    const { file, start } = await toAdts(mediabunny, track, { name, limits });
    const decoded = await new OfflineAudioContext(1, 1, track.sampleRate).decodeAudioData(file);
    const collector = createMonoCollector(name, limits);
    const skip = Math.max(0, Math.round(-start * decoded.sampleRate));
    const channels = Array.from({ length: decoded.numberOfChannels }, (_, channel) =>
      decoded.getChannelData(channel).subarray(skip),
    );
    collector.add(channels, decoded.sampleRate);
    return collector.finish();
  } catch (error) {
    throw error instanceof SvcError ? error : unsupported(`the ${name} is damaged`, error);
  } finally {
    input.dispose();
  }
}

/** Most channels that Symphonia decodes. */
const mostChannels = 2;

type StoredCoding = Pick<StoredSamples, 'coding' | 'order' | 'bits'>;

const codingsOf = (name: string, coding: SampleCoding, bits: number): readonly (readonly [string, StoredCoding])[] => [
  [name, { coding, bits, order: 'little' }],
  [`${name}be`, { coding, bits, order: 'big' }],
];

/** Codings of PCM in MOV, by Mediabunny's names. */
const pcmCodecs: ReadonlyMap<string, StoredCoding> = new Map([
  ...codingsOf('pcm-u8', 'unsigned', 8),
  ...[8, 16, 24, 32].flatMap((bits) => codingsOf(`pcm-s${bits}`, 'integer', bits)),
  ...[32, 64].flatMap((bits) => codingsOf(`pcm-f${bits}`, 'float', bits)),
  ...codingsOf('alaw', 'A-law', 8),
  ...codingsOf('ulaw', 'µ-law', 8),
]);

async function packetBytes(sink: EncodedPacketSink, limits: DecodeLimits): Promise<Uint8Array> {
  const packets: Uint8Array[] = [];
  let length = 0;
  for await (const { data } of sink.packets()) {
    packets.push(data);
    length += data.length;
    // A table may state the same bytes many times; samples have at least one.
    if (length > limits.values * Float64Array.BYTES_PER_ELEMENT) throw tooLong(limits);
  }
  return Buffer.concat(packets, length);
}

/** Its name in the file, such as `alac`, where Mediabunny doesn't know it. */
async function codecOf(track: InputAudioTrack): Promise<string> {
  const id = track.codec ?? (await track.getInternalCodecId());
  return typeof id === 'string' ? sanitizeLine(id) : '(unknown)';
}

/** Samples per packet of AAC-LC. */
const packetSamples = 1_024;
/** Packets of padding that may be cut entirely. */
const maxPadding = 4;

/** With the time of the first sample in seconds, negative if samples are to be cut. */
async function toAdts(
  mediabunny: Mediabunny,
  track: InputAudioTrack,
  { name, limits }: { readonly name: string; readonly limits: DecodeLimits },
) {
  const { AdtsOutputFormat, BufferTarget, EncodedAudioPacketSource, EncodedPacketSink, Output } = mediabunny;
  const target = new BufferTarget();
  const output = new Output({ format: new AdtsOutputFormat(), target });
  const source = new EncodedAudioPacketSource('aac');
  output.addAudioTrack(source);
  await output.start();
  const decoderConfig = await track.getDecoderConfig();
  if (decoderConfig === null) throw unsupported(`the ${name} does not describe its audio`);
  let first: EncodedPacket | undefined;
  // Padding at both ends is not counted in the limit. Times stated in the file are not trusted.
  let packetsLeft = Math.ceil((limits.seconds * track.sampleRate) / packetSamples) + maxPadding;
  for await (const packet of new EncodedPacketSink(track).packets()) {
    first ??= packet;
    packetsLeft -= 1;
    if (packetsLeft < 0) throw tooLong(limits);
    await source.add(packet.clone({ timestamp: packet.timestamp - first.timestamp }), { decoderConfig });
  }
  if (first === undefined) throw unsupported(`the ${name} contains no audio`);
  await output.finalize();
  return { file: target.buffer as ArrayBuffer, start: first.timestamp };
}
