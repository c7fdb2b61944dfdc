/** Speed of speech as a field of a request: the generated audio is stretched or shortened, its pitch stays. */
import { pushInSlices } from '../audio/slices.ts';
import { ignore } from '../errors.ts';
import { concatenate } from '../float-arrays.ts';
import type { SpeechEvent } from './speech-event.ts';
import { atSpeed } from './timing/timed-text.ts';

export function openSpeedChange(sampleRate: number, speed: number) {
  if (speed === 1) return { apply: async (event: SpeechEvent): Promise<SpeechEvent> => event, close: ignore };
  // Loaded late, as speech at speed 1 needs no FFmpeg, and while the first audio is generated.
  const opening = import('../audio/resample/speed.ts').then(({ createSpeed }) => createSpeed(sampleRate, speed));
  opening.catch(ignore);
  return {
    /** An event at the speed; the last one includes what the filter held back. */
    async apply(event: SpeechEvent): Promise<SpeechEvent> {
      const filter = await opening;
      const samples = await pushInSlices(filter, event.samples);
      return {
        ...event,
        samples: event.isLast ? concatenate([samples, filter.flush()]) : samples,
        sentences: event.sentences && atSpeed(event.sentences, speed),
      };
    },
    close: (): void => void opening.then(({ close }) => close(), ignore),
  };
}
