/** The spans of speech while it is generated: until its first audio, and each part of its text. */
import { noSpan, type Span } from './span.ts';

export interface SpeechTrace {
  /** `seconds` of audio of a part of the text were generated, in as many steps as `patches` (default: 1). */
  record(part: number, seconds: number, patches?: number): void;
  end(failure?: unknown): void;
}

const untraced: SpeechTrace = { record: () => undefined, end: () => undefined };

/** @param span ends with the speech */
export function traceSpeech(span: Span): SpeechTrace {
  if (span === noSpan) return untraced;
  const began = performance.now();
  let first: Span | undefined = span.child('speech.first_audio');
  let open: { readonly index: number; readonly span: Span; seconds: number } | undefined;
  let total = 0;
  let steps = 0;

  function endPart(failure?: unknown): void {
    open?.span.set({ 'svc.audio.seconds': open.seconds });
    open?.span.end(failure);
    open = undefined;
  }

  const beginPart = (index: number): void => {
    open = { index, span: span.child('speech.part', { attributes: { 'svc.part': index } }), seconds: 0 };
  };
  beginPart(0);
  return {
    record(part, seconds, patches = 1) {
      if (seconds > 0) {
        first?.end();
        first = undefined;
        steps += patches;
      }
      if (part !== open?.index) {
        endPart();
        beginPart(part);
      }
      if (open !== undefined) open.seconds += seconds;
      total += seconds;
    },
    end(failure) {
      first?.end(failure);
      endPart(failure);
      const elapsed = (performance.now() - began) / 1000;
      span.set({
        'svc.audio.seconds': total,
        'svc.patches': steps,
        ...(total > 0 && { 'svc.real_time_factor': elapsed / total }),
      });
      span.end(failure);
    },
  };
}
