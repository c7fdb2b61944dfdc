/** Finds the frames of layer III (ISO 11172-3, 13818-3, MPEG 2.5) behind bytes that belong to no format. */

/** FFmpeg looks as far. */
const reach = 65_536;
/** Frames in a row: two bytes alone look like a frame in one of a thousand places. */
const enough = 3;
const layer3 = 1;

/** In kbit/s, of MPEG 1 and of the others; `free` and what is forbidden have none. */
const bitRates = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
/** In Hz, of MPEG 1. */
const sampleRates = [44_100, 48_000, 32_000] as const;
/** Divisors of the sample rate, by version. */
const rateDivisors: Readonly<Record<number, number>> = { 3: 1, 2: 2, 0: 4 };

/** Where the first frame begins; undefined if none is near the beginning. */
export function findMp3(bytes: Uint8Array): number | undefined {
  const last = Math.min(bytes.length, reach);
  for (let start = 0; start < last; start += 1) {
    let position = start;
    let frames = 0;
    while (frames < enough) {
      const length = frameLength(bytes, position);
      if (length === undefined) break;
      position += length;
      frames += 1;
    }
    if (frames === enough) return start;
  }
  return undefined;
}

/** In bytes; undefined where no frame begins. */
function frameLength(bytes: Uint8Array, at: number): number | undefined {
  const header = readFrameHeader(bytes.subarray(at, at + 3));
  return header && Math.floor(header.meanBytes) + header.padding;
}

export type FrameHeader = NonNullable<ReturnType<typeof readFrameHeader>>;

/** Reads the header of a frame, whose length is `meanBytes` without its fraction, and the padding; undefined if it is none. */
export function readFrameHeader([first = 0, second = 0, third = 0]: Uint8Array) {
  const version = (second >> 3) & 3;
  const divisor = rateDivisors[version];
  if (first !== 0xff || second >> 5 !== 7 || divisor === undefined || ((second >> 1) & 3) !== layer3) return undefined;
  const generation = version === 3 ? 1 : 2;
  const kilobits = bitRates[generation][third >> 4];
  const rate = sampleRates[(third >> 2) & 3];
  if (!kilobits || rate === undefined) return undefined;
  const samples = generation === 1 ? 1_152 : 576;
  const meanBytes = (samples * kilobits * 125 * divisor) / rate;
  return { generation, samples, meanBytes, padding: (third >> 1) & 1 };
}
