/** Requests as engines accept, plan and speak them. */
import { type Accepted, acceptSteps } from '../../src/engine/accepted.ts';
import type { ModelInfo } from '../../src/engine/backend.ts';
import type { LiveSpeechRequest } from '../../src/engine/engine.ts';
import { type ParsedRequest, parseRequestText } from '../../src/engine/parsed-request.ts';
import { type PlannedPart, planSteps } from '../../src/engine/plan/plan.ts';
import { parseFields, parseRequest, type SynthesisRequest } from '../../src/engine/request.ts';
import type { SpeechEvent } from '../../src/engine/speech-event.ts';
import type { SpeakOptions, SpeechSource } from '../../src/engine/speech-source.ts';
import { atOnce, withoutSteps } from '../../src/event-loop.ts';
import './verbalize.ts';

export const parsed = (request: SynthesisRequest): ParsedRequest => atOnce(parseRequestText(parseRequest(request)));

export const accept = (request: SynthesisRequest, info: ModelInfo): Accepted =>
  atOnce(acceptSteps(parsed(request), info));

export const partsOf = (accepted: Accepted, info: ModelInfo): readonly PlannedPart[] => [
  ...withoutSteps(planSteps(accepted, info)),
];

/** Accepts a request and speaks it. */
export function speakWith(
  source: SpeechSource,
  request: SynthesisRequest | LiveSpeechRequest,
  options?: SpeakOptions,
): AsyncGenerator<SpeechEvent, void, undefined> {
  const { text, ...fields } = request;
  if (typeof text === 'string') return source.speak(atOnce(source.accept(parsed({ ...fields, text }))), options);
  return source.speak({ ...source.acceptLive(parseFields(fields)), text }, options);
}
