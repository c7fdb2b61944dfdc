import { decodeAudio } from '../../../audio/decode/read-audio.ts';
import { type AudioFormatName, audioFormatNames, audioFormats, openEncoder } from '../../../audio/encode/format.ts';
import { openLibav } from '../../../audio/libraries/libav.ts';
import { type Check, checkOfError } from '../check.ts';

const sampleRate = 48_000;

/** Checks FFmpeg's libraries, and writes and reads back each format. */
export async function probeAudio(): Promise<readonly Check[]> {
  const written = new Map<AudioFormatName, Uint8Array>();
  const checks: Check[] = [await checkFfmpeg()];
  const failures: Check[] = [];
  for (const name of audioFormatNames) {
    try {
      written.set(name, await encodeTone(name));
    } catch (error) {
      failures.push(checkOfError(`write ${name}`, 'failed', error));
    }
  }
  const read: AudioFormatName[] = [];
  for (const [name, bytes] of written) {
    // Raw samples can't be recognized.
    if (name === 'pcm') continue;
    try {
      await decodeAudio(bytes);
      read.push(name);
    } catch (error) {
      failures.push(checkOfError(`read ${name}`, 'missing', error));
    }
  }
  const formats = { written: [...written.keys()], read };
  const summary = `written ${formats.written.join(', ')}; read ${read.join(', ')}`;
  return [...checks, { name: 'audio', status: 'ok', summary, details: formats }, ...failures];
}

async function checkFfmpeg(): Promise<Check> {
  try {
    await openLibav('the check of the audio library');
    return { name: 'ffmpeg', status: 'ok', summary: `libav.js, as WebAssembly (${audioFormats.flac.library})` };
  } catch (error) {
    return checkOfError('ffmpeg', 'failed', error);
  }
}

async function encodeTone(format: AudioFormatName): Promise<Uint8Array> {
  const encoder = await openEncoder({ format, sampleRate });
  const samples = Float32Array.from({ length: sampleRate / 4 }, (_, index) => Math.sin(index / 20) / 2);
  const encoded = [...(await encoder.push(samples)), ...(await encoder.flush())];
  encoder.close();
  return Buffer.concat(encoded.filter(({ position }) => position === undefined).map(({ bytes }) => bytes));
}
