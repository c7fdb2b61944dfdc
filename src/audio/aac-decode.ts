/**
 * AAC from M4A, MP4 and ADTS: taken apart by Mediabunny, decoded by Symphonia (Rust) through node-web-audio-api.
 *
 * Symphonia reads MP4 only when its index comes first, and knows nothing of edit lists. Hence the packets are
 * counted, put into ADTS, and what the file says is before its beginning is cut here.
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

/** What is used of the Web Audio API; its own types would bring those of browsers along. */
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

/** @throws SvcError UNSUPPORTED_AUDIO, as `decodeAudio`. */
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
    if (track === null) throw unsupported(`${name} without audio`);
    if (track.codec !== 'aac') throw unsupported(`${name} with ${track.codec ?? 'an unknown codec'}`);
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
    throw error instanceof SvcError ? error : damaged(name, error);
  } finally {
    input.dispose();
  }
}

interface AdtsFile {
  readonly file: ArrayBuffer;
  /** Time of the first sample, seconds; below 0 by what is to be cut. */
  readonly start: number;
}

/** Samples of a packet of AAC-LC. */
const packetSamples = 1_024;
/** Packets of which nothing may be heard. */
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
  if (decoderConfig === null) throw unsupported(`${name} without a description of its audio`);
  let first: EncodedPacket | undefined;
  // What is in front of the beginning and behind the end comes on top; times that the file states are not believed.
  let packetsLeft = Math.ceil((limits.seconds * track.sampleRate) / packetSamples) + maxPadding;
  for await (const packet of new EncodedPacketSink(track).packets()) {
    first ??= packet;
    packetsLeft -= 1;
    if (packetsLeft < 0) throw tooLong(limits);
    await source.add(packet.clone({ timestamp: packet.timestamp - first.timestamp }), { decoderConfig });
  }
  if (first === undefined) throw unsupported(`${name} without audio`);
  await output.finalize();
  return { file: target.buffer as ArrayBuffer, start: first.timestamp };
}

const unsupported = (received: string): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', `expected AAC for audio in M4A, received ${received}`);

const damaged = (name: string, cause: unknown): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', `expected a whole audio file for audio, received ${name} that is damaged`, {
    cause,
  });
