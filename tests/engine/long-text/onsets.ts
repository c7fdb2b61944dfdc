/** Where sound begins after at least so many seconds of silence, in seconds. */
export function onsets(samples: Float32Array, sampleRate: number, silence: number): readonly number[] {
  const found: number[] = [];
  let silent = sampleRate;
  for (let index = 0; index < samples.length; index += 1) {
    if (Math.abs(samples[index] as number) < 5) silent += 1;
    else {
      if (silent >= silence * sampleRate) found.push(index / sampleRate);
      silent = 0;
    }
  }
  return found;
}
