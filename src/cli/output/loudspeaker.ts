/** The audio output of this machine. */
import type { AudioSink } from '../../audio/encode/sink.ts';
import type { Io } from '../io.ts';
import type { Check } from '../probe/check.ts';
import { runProbe } from '../probe/run-probe.ts';

export interface Loudspeaker {
  /** Whether there is one. Never rejects. */
  find(): Promise<Check>;
  /** @throws SvcError PLAYBACK_UNAVAILABLE */
  open(sampleRate: number): Promise<AudioSink>;
}

export const systemLoudspeaker = (io: Pick<Io, 'environment' | 'signal'>): Loudspeaker => ({
  // In a process of its own: libraries that look for an audio output may print, block or crash.
  async find() {
    const [check] = await runProbe({ name: 'playback', status: 'missing', parameters: ['playback'] }, io);
    return check as Check;
  },
  // Loaded late: few commands play anything.
  open: async (sampleRate) => (await import('../../audio/loudspeaker.ts')).openPlayer(sampleRate),
});
