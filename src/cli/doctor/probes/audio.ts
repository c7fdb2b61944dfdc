import { type AudioFormatName, audioFormatNames, audioFormats, createEncoder } from '../../../audio/format.ts';
import { openLibav } from '../../../audio/libav.ts';
import { decodeAudio } from '../../../audio/read-audio.ts';
import { type Check, checkOfError } from '../check.ts';

const sampleRate = 48_000;

/** FFmpeg's libraries, and each format written and read back. */
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
    // Raw samples have nothing to tell them by.
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
  const parts: Uint8Array[] = [];
  const encoder = await createEncoder({ format, sampleRate }, async (bytes) => void parts.push(bytes.slice()));
  await encoder.write(Float32Array.from({ length: sampleRate / 4 }, (_, index) => Math.sin(index / 20) / 2));
  await encoder.finish();
  return Buffer.concat(parts);
}
