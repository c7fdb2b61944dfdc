/** The audio output of this machine. */
import type { Io, Loudspeaker } from '../io.ts';
import type { Check } from '../probe/check.ts';

export const systemLoudspeaker = (io: Pick<Io, 'environment' | 'signal'>): Loudspeaker => ({
  // In a process of its own: libraries that look for an audio output may print, block or crash.
  async find() {
    const { runProbe } = await import('../probe/run-probe.ts');
    const [check] = await runProbe({ name: 'playback', status: 'missing', parameters: ['playback'] }, io);
    return check as Check;
  },
  // Loaded late: few commands play anything.
  open: async (sampleRate) => (await import('../../audio/loudspeaker.ts')).openPlayer(sampleRate),
});
