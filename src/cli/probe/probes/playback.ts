import { openPlayer } from '../../../audio/loudspeaker.ts';
import { type Check, checkOfError } from '../check.ts';

/** Opens the audio output without playing anything. */
export async function probePlayback(): Promise<readonly Check[]> {
  try {
    const player = await openPlayer(48_000);
    await player.abort();
    return [{ name: 'playback', status: 'ok', summary: 'an audio output of this machine' }];
  } catch (error) {
    return [
      checkOfError('playback', 'missing', error, 'connect or configure an audio output; only playback needs one'),
    ];
  }
}
