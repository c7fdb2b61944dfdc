/** Hz; at least that of every model, which resamples anyway. */
const decodeRate = 48_000;

/** The mean of the channels of a file in any format that this browser knows. @throws DOMException for others */
export async function decodeToMono(
  bytes: ArrayBuffer,
): Promise<{ readonly samples: Float32Array; readonly sampleRate: number }> {
  const audio = await new OfflineAudioContext(1, 1, decodeRate).decodeAudioData(bytes);
  const samples = new Float32Array(audio.length);
  for (let channel = 0; channel < audio.numberOfChannels; channel += 1) {
    for (const [at, sample] of audio.getChannelData(channel).entries()) {
      samples[at] = (samples[at] ?? 0) + sample / audio.numberOfChannels;
    }
  }
  return { samples, sampleRate: audio.sampleRate };
}
