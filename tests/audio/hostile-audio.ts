/** Small files that keep decoders busy. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLibav } from '../../src/audio/libraries/libav.ts';

const m4a = (): Promise<Buffer> => readFile(join(import.meta.dirname, '../fixtures/audio/stereo.m4a'));

/** An M4A file whose table declares 4,294,967,295 samples per chunk. */
export async function endlessChunks(): Promise<Buffer> {
  const bytes = await m4a();
  bytes.writeUInt32BE(0xffffffff, bytes.indexOf('stsc') + 4 + 8 + 4);
  return bytes;
}

const parents = ['moov', 'trak', 'mdia', 'minf', 'stbl'];

/** Replaces the contents of some MP4 boxes and corrects all sizes. */
function replaceBoxes(bytes: Buffer, contents: Readonly<Record<string, Buffer>>): Buffer {
  const boxes: Buffer[] = [];
  for (let at = 0; at + 8 <= bytes.length; at += bytes.readUInt32BE(at)) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    const old = bytes.subarray(at + 8, at + bytes.readUInt32BE(at));
    const content = parents.includes(type) ? replaceBoxes(old, contents) : (contents[type] ?? old);
    const header = Buffer.alloc(8);
    header.writeUInt32BE(8 + content.length);
    header.write(type, 4, 'latin1');
    boxes.push(header, content);
  }
  return Buffer.concat(boxes);
}

const table = (...numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number, index * 4);
  return bytes;
};

/**
 * A valid M4A file with a million packets in one chunk. Finding a packet requires adding up the sizes of all before it,
 * so a quarter of an hour takes minutes.
 */
export async function slowChunk(): Promise<Buffer> {
  const count = 2 ** 20;
  const sizes = Buffer.concat([table(0, 0, count), Buffer.alloc(count * 4)]);
  for (let packet = 0; packet < count; packet += 1) sizes.writeUInt32BE(1, 12 + packet * 4);
  const boxes = { stts: table(0, 1, count, 1_024), stsc: table(0, 1, 1, count, 1), stsz: sizes };
  return replaceBoxes(await m4a(), boxes);
}

/** Silent FLAC with eight channels at 48 kHz: 11 minutes in 25 KB. */
export async function eightChannels(seconds: number): Promise<Buffer> {
  const libav = await openLibav('a test');
  const [sampleRate, channels, layout] = [48_000, 8, 0x63f];
  const written: [position: number, bytes: Buffer][] = [];
  libav.onwrite = (_name, position, bytes) => void written.push([position, Buffer.from(bytes)]);
  const context = { sample_fmt: libav.AV_SAMPLE_FMT_S16, sample_rate: sampleRate, frame_size: 65_535 };
  const [, encoder, frame, packet, length] = libav.ff_init_encoder_sync('flac', {
    ctx: { ...context, channel_layout: layout, channels },
    time_base: [1, sampleRate],
  });
  libav.mkwriterdev_sync('out.flac');
  const [muxer, , file] = libav.ff_init_muxer_sync({ filename: 'out.flac', format_name: 'flac', open: true }, [
    [encoder, 1, sampleRate],
  ]);
  libav.avformat_write_header_sync(muxer, 0);
  const data = new Int16Array(length * channels);
  const shape = { data, format: context.sample_fmt, channel_layout: layout, channels, sample_rate: sampleRate };
  for (let pts = 0; pts < seconds * sampleRate; pts += length) {
    const frames = [{ ...shape, nb_samples: length, pts }];
    libav.ff_write_multi_sync(muxer, packet, libav.ff_encode_multi_sync(encoder, frame, packet, frames));
  }
  libav.ff_write_multi_sync(muxer, packet, libav.ff_encode_multi_sync(encoder, frame, packet, [], true));
  libav.av_write_trailer_sync(muxer);
  libav.avio_flush_sync(file);
  libav.terminate();
  const flac = Buffer.alloc(Math.max(...written.map(([position, bytes]) => position + bytes.length)));
  for (const [position, bytes] of written) bytes.copy(flac, position);
  return flac;
}
