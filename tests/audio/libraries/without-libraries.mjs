/** Reads and writes audio where no codec is installed; prints the outcomes as JSON. */

import { decode } from '../../../src/audio/decode/decode.ts';
import { limitsFor } from '../../../src/audio/decode/decode-limits.ts';
import { createEncoder } from '../../../src/audio/encode/format.ts';
import { encodeWav } from '../../../src/audio/encode/wav-encode.ts';
import { createSpeed } from '../../../src/audio/resample/speed.ts';

const outcomes = {};
const attempt = async (name, work) => {
  outcomes[name] = await work().catch(({ code, message }) => ({ code, message }));
};

const samples = Float32Array.of(0.5, -0.5);
for (const format of ['wav', 'pcm', 'flac', 'opus', 'mp3', 'aac']) {
  await attempt(`write ${format}`, async () => {
    let bytes = 0;
    const encoder = await createEncoder({ format, sampleRate: 16_000 }, async (chunk) => {
      bytes += chunk.length;
    });
    await encoder.write((await createSpeed(16_000, 1)).push(samples));
    await encoder.finish();
    return bytes > 0;
  });
}
await attempt('read wav', async () => [...(await decode(encodeWav(samples, 16_000), limitsFor())).samples]);
for (const start of ['fLaC', 'ID3', '\0\0\0\x20ftypM4A ']) {
  await attempt(`read ${start}`, () => decode(Buffer.from(start, 'latin1'), limitsFor()));
}
console.log(JSON.stringify(outcomes));
