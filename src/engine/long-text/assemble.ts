/** Assembles the audio of parts to the events of one speech: with pauses, trimmed, at their rates, and with times of words. */
import { createSilenceTrim } from '../../audio/analyze/trim-silence.ts';
import { createSpeed } from '../../audio/resample/speed.ts';
import { chain, type SampleTransform } from '../../audio/transform.ts';
import { concatenate } from '../../float-arrays.ts';
import { lexiconOf } from '../accepted.ts';
import type { Chunk } from '../generate.ts';
import type { PlannedPart } from '../plan/plan.ts';
import type { RequestFields } from '../request.ts';
import type { SpeechEvent } from '../speech-event.ts';
import { timeSentences } from '../timing/time-sentences.ts';
import type { TimedSentence } from '../timing/timed-text.ts';
import { createJoiner } from './join.ts';
import { createQualityReport } from './quality-report.ts';
import type { PartOutcome } from './speak-part.ts';

interface Shaping extends SampleTransform {
  /** Number of samples that were trimmed off the beginning. */
  skipped(): number;
}

interface OpenPart {
  readonly part: PlannedPart;
  readonly shaping: Shaping;
  lead: Float32Array;
  /** Until an event has it. */
  text: string | undefined;
  /** Those that no event has yet. */
  patches: number;
  /** Samples that the model has generated, and those of attempts that turned out silent. */
  generated: number;
  wasted: number;
}

export function createAssembly(request: RequestFields, sampleRate: number, timestamps: 'none' | 'words') {
  const joiner = createJoiner(sampleRate);
  const report = createQualityReport();
  let leadSamples = 0;
  let open: OpenPart | undefined;

  async function openPart(part: PlannedPart): Promise<OpenPart> {
    if (open?.part === part) return open;
    const { index, leadSeconds } = part;
    // Silence that the script states in front of a part: of the first one, or a longer pause.
    if (index > 0 && leadSeconds > 0) joiner.pause(leadSeconds);
    const lead = silenceOf(index === 0 ? leadSeconds : 0);
    leadSamples += lead.length;
    const shaping = await openShaping(part);
    open = { part, shaping, lead, text: part.text, patches: 0, generated: 0, wasted: 0 };
    return open;
  }

  /** Audio of a part as it is in the speech. Alone, a part is joined to nothing, so none of it is held back. */
  const joined = ({ isLast, index }: PlannedPart, shaped: Float32Array): Float32Array =>
    isLast && index === 0 ? shaped : joiner.push(shaped);

  /** @returns audio that no event has yet */
  function push(current: OpenPart, samples: Float32Array, patches: number): readonly Float32Array[] {
    current.generated += samples.length;
    current.patches += patches;
    const pieces = [current.lead, joined(current.part, current.shaping.push(samples))];
    current.lead = silenceOf(0);
    return pieces.filter(({ length }) => length > 0);
  }

  function pushChunk(current: OpenPart, { index, samples }: Chunk): readonly Float32Array[] {
    // Another attempt follows a silent one.
    if (index === 0) current.wasted = current.generated;
    return push(current, samples, 1);
  }

  /** Adds audio of a part that is not finished. Returns undefined while all of it is held back. */
  async function add(part: PlannedPart, chunk: Chunk): Promise<SpeechEvent | undefined> {
    const current = await openPart(part);
    const { text } = current;
    const samples = joinedPieces(pushChunk(current, chunk));
    const { patches } = current;
    if (samples.length === 0) return undefined;
    current.text = undefined;
    current.patches = 0;
    return { part: part.index, text, samples, patches, patch: chunk.patch };
  }

  /** Adds the rest of a part, or all of it if nothing of it was added before. */
  async function finish(outcome: PartOutcome): Promise<SpeechEvent> {
    const { part, last } = outcome;
    const current = await openPart(part);
    const { shaping } = current;
    const pieces = [
      ...(last === undefined ? push(current, outcome.samples, outcome.count) : pushChunk(current, last)),
      joined(part, shaping.flush()),
    ];
    if (part.isLast) pieces.push(part.index === 0 ? silenceOf(0) : joiner.end(), silenceOf(part.pauseSeconds));
    else joiner.pause(part.pauseSeconds);
    report.add(outcome);
    const event = {
      part: part.index,
      text: current.text,
      samples: joinedPieces(pieces.filter(({ length }) => length > 0)),
      patches: current.patches,
      patch: last?.patch,
      sentences: timestamps === 'words' ? sentencesOf(outcome, current) : undefined,
      end: outcome.end,
      seed: outcome.seed,
      attempts: outcome.tries,
      ...(part.isLast && { isLast: true as const, warnings: report.warnings() }),
    };
    shaping.close();
    return event;
  }

  /** The last event of a text that was still being written and has ended after its last part. */
  function end(): SpeechEvent | undefined {
    if (open === undefined || open.part.isLast) return undefined;
    const warnings = report.warnings();
    return { part: open.part.index, samples: joiner.end(), patches: 0, isLast: true, warnings };
  }

  function sentencesOf(outcome: PartOutcome, { part, shaping, wasted }: OpenPart): readonly TimedSentence[] {
    const { samples, reading } = outcome;
    const { rate, text, voice, stretches } = part;
    const begun = part.index === 0 && part.isLast ? 0 : joiner.partStart();
    // One of several parts that has no sound: other words are where its own should be.
    if (begun === undefined) return [];
    // When the first sample that the model generated is or would be played.
    const start = (begun + (leadSamples + (wasted - shaping.skipped()) / rate)) / sampleRate;
    const audio = { samples, sampleRate, start, rate, reading, voice, stretches };
    return timeSentences(text, audio, lexiconOf(request, voice));
  }

  const silenceOf = (seconds: number): Float32Array => new Float32Array(Math.round(seconds * sampleRate));

  async function openShaping({ rate }: PlannedPart): Promise<Shaping> {
    const speed = await createSpeed(sampleRate, rate);
    if (!request.trimSilence) return { ...speed, skipped: () => 0 };
    const trim = createSilenceTrim(sampleRate);
    return { ...chain(trim, speed), skipped: trim.skipped };
  }

  return { add, finish, end, close: () => open?.shaping.close() };
}

/** As `concatenate`, but for a single piece, which is not copied. */
const joinedPieces = (pieces: readonly Float32Array[]): Float32Array => {
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : concatenate(pieces);
};
