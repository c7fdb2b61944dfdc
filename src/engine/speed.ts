/** Speed of speech as a field of a request: the generated audio is stretched or shortened, its pitch stays. */
import { pushInSlices } from '../audio/slices.ts';
import { concatenate } from '../float-arrays.ts';
import type { SpeechEvent } from './speech-event.ts';
import { atSpeed } from './timing/time-sentences.ts';

/** What the filter needs to know. */
export interface Pace {
  readonly sampleRate: number;
  readonly speed: number;
}

/** Changes the speed of a speech; its last event includes what the filter held back. */
export async function* changeSpeed(
  events: AsyncIterable<SpeechEvent>,
  { sampleRate, speed }: Pace,
): AsyncGenerator<SpeechEvent, void, undefined> {
  if (speed === 1) return yield* events;
  // Loaded late, as speech at speed 1 needs no FFmpeg, and while the first audio is generated.
  const opening = import('../audio/resample/speed.ts').then(({ createSpeed }) => createSpeed(sampleRate, speed));
  opening.catch(ignore);
  try {
    for await (const event of events) {
      const filter = await opening;
      const samples = await pushInSlices(filter, event.samples);
      yield {
        ...event,
        samples: event.isLast ? concatenate([samples, filter.flush()]) : samples,
        sentences: event.sentences && atSpeed(event.sentences, speed),
      };
    }
  } finally {
    void opening.then(({ close }) => close(), ignore);
  }
}

const ignore = (): void => undefined;
