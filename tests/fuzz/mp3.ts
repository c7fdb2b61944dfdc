import { createAudioTarget, type Structure } from './audio.ts';

/** Header, side information and, in the first frame, the Xing or LAME tag. */
const frameBytes = 64;

export const target = createAudioTarget({
  files: ['audio/stereo.mp3', 'audio/mono-16-khz.mp3'],
  structures(bytes) {
    const found: Structure[] = [{ name: 'start', start: 0, end: Math.min(10, bytes.length), order: 'big' }];
    for (let at = 0; at + frameBytes < bytes.length; at += 1) {
      if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xe6) !== 0xe2) continue;
      found.push({ name: `frame at ${at}`, start: at, end: at + frameBytes, order: 'big' });
    }
    for (const name of ['Xing', 'Info', 'LAME']) {
      const at = bytes.indexOf(name, 0, 'latin1');
      if (at >= 0) found.push({ name, start: at, end: Math.min(at + 48, bytes.length), order: 'big' });
    }
    return found;
  },
});
