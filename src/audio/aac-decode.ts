/**
 * Decodes AAC in M4A, MP4 and ADTS: demuxed by Mediabunny, decoded by Symphonia (Rust) through node-web-audio-api.
 *
 * Symphonia reads MP4 only if the index comes first, and ignores edit lists. So packets are counted, remuxed to ADTS,
 * and samples before the start of the recording are cut here.
 */
import type { EncodedPacket, InputAudioTrack } from 'mediabunny';
import { SvcError } from '../errors.ts';
import { loadOptional } from '../optional-package.ts';
import { type DecodeLimits, tooLong } from './decode-limits.ts';
import { loadLibrary } from './load-library.ts';
import { loadMediabunny, type Mediabunny } from './mediabunny.ts';
import { createMonoCollector } from './mono-collector.ts';
import { describeBytes } from './signature.ts';
import type { Audio } from './wav.ts';

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

const webAudio: string = 'node-web-audio-api';

/** @throws SvcError UNSUPPORTED_AUDIO and others, like `decodeAudio` */
export async function decodeAac(bytes: Uint8Array, limits: DecodeLimits): Promise<Audio> {
  const name = describeBytes(bytes);
  const mediabunny = await loadMediabunny('m4a');
  const { OfflineAudioContext } = await loadLibrary<WebAudio>(webAudio, 'm4a', () =>
    loadOptional('reading M4A and AAC', () => import(webAudio)),
  );
  const { ADTS, BufferSource, Input, MP4, QTFF } = mediabunny;
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4, QTFF, ADTS] });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (track === null) throw unsupported(`the ${name} contains no audio`);
    if (track.codec !== 'aac')
      throw unsupported(`the ${name} has the unsupported codec ${track.codec ?? '(unknown)'}; only AAC is supported`);
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

interface AdtsFile {
  readonly file: ArrayBuffer;
  /** Time of the first sample in seconds; negative if samples are to be cut. */
  readonly start: number;
}

/** Samples per packet of AAC-LC. */
const packetSamples = 1_024;
/** Packets of padding that may be cut entirely. */
const maxPadding = 4;

async function toAdts(
  mediabunny: Mediabunny,
  track: InputAudioTrack,
  { name, limits }: { readonly name: string; readonly limits: DecodeLimits },
): Promise<AdtsFile> {
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

const unsupported = (problem: string, cause?: unknown): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', problem, { cause });
