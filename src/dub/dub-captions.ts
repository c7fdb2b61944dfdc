/** Speaks captions at their times with an engine. */
import { z } from 'zod';
import type { AudioSink } from '../audio/encode/sink.ts';
import { aboutSilent, readCaptionFile } from '../captions/read-captions.ts';
import { attemptSeed } from '../engine/bad-case.ts';
import { type OpeningVoice, speakOpening } from '../engine/long-text/opening-voice.ts';
import { randomSeed } from '../engine/noise.ts';
import { parseRequestText } from '../engine/parsed-request.ts';
import { parseFields, type RequestFields, type UnwrittenRequest } from '../engine/request.ts';
import type { SpeechRequest } from '../engine/speech-request.ts';
import type { SpeechSource } from '../engine/speech-source.ts';
import { mainLanguage } from '../engine/text/language/language-reader.ts';
import type { TimedSentence } from '../engine/timing/timed-text.ts';
import { inTurns } from '../event-loop.ts';
import { concatenate } from '../float-arrays.ts';
import { didYouMean, quote } from '../messages.ts';
import { numberIn, oneOf, parse, requestError } from '../validation.ts';
import { type Dubbed, type DubMeans, dubCues, dubRanges, type SpokenUnit } from './dub-cues.ts';
import { nameVoices, speakerWithoutVoice } from './speech-units.ts';
import { assertSilence, longestSilence } from './stated-silence.ts';

/** Fields of a speech request, whose voices are named by `<v Name>` or a prefix such as `Name:`. */
export interface DubRequest extends Omit<SpeechRequest, 'text' | 'inputFormat' | 'speed' | 'split'> {
  /** Content of a file in SubRip or WebVTT. */
  readonly captions: string;
}

export interface DubOptions extends Pick<DubMeans, 'maxSpeed' | 'tries' | 'signal' | 'onProgress'> {
  /** Whether `[door slams]` and music are spoken (default: silent). */
  readonly sounds?: 'silent' | 'spoken' | undefined;
}

export interface DubbedSpeech extends Dubbed {
  readonly sampleRate: number;
  readonly seed: number;
}

const call = z.custom((value) => typeof value === 'function', { error: 'a function' });
const meansSchema = z.object({
  engine: z.looseObject(
    { info: z.looseObject({}, { error: 'an object' }), accept: call, speak: call },
    { error: 'an engine' },
  ),
  request: z.looseObject({ captions: z.string({ error: 'a string' }) }, { error: 'an object' }),
  sink: z.looseObject({ write: call }, { error: 'an object with write' }),
  options: z.looseObject(
    {
      maxSpeed: numberIn(dubRanges.maxSpeed).optional(),
      tries: numberIn(dubRanges.tries).optional(),
      signal: z.instanceof(AbortSignal, { error: 'an AbortSignal' }).optional(),
      onProgress: call.optional(),
      sounds: oneOf(['silent', 'spoken']).optional(),
    },
    { error: 'an object' },
  ),
});

/**
 * Speaks captions so that each begins at its time.
 *
 * @param sink takes samples at the rate of the model; the caller finishes it
 * @throws SvcError INVALID_REQUEST, CANCELLED
 */
export async function dubCaptions(
  engine: SpeechSource,
  request: DubRequest,
  sink: Pick<AudioSink, 'write'>,
  options: DubOptions = {},
): Promise<DubbedSpeech> {
  parse(meansSchema, { engine, request, sink, options });
  const { captions, ...given } = request;
  return dubFields(engine, captions, parseFields(given as UnwrittenRequest), sink, options);
}

/** As `dubCaptions`, for fields that are checked. */
export async function dubFields(
  engine: SpeechSource,
  captions: string,
  fields: RequestFields,
  sink: Pick<AudioSink, 'write'>,
  options: DubOptions = {},
): Promise<DubbedSpeech> {
  const { voices = {}, seed = randomSeed(), ...own } = fields;
  const { sounds, signal } = options;
  const read = await readCaptionFile(captions, { sounds, signal });
  const { cues, unknown, unused } = nameVoices(read.cues, Object.keys(voices));
  if (cues.length === 0) throw requestError('the captions have no text');
  assertSilence(cues, longestSilence);
  const warnings = new Set([
    ...read.warnings,
    ...aboutSilent(read),
    ...unknown.map(speakerWithoutVoice),
    ...unused.map((name) => `the voice of ${quote(name)} is not used by any caption${didYouMean(name, unknown)}`),
  ]);
  const { outputSampleRate: sampleRate } = engine.info;
  const documentLanguage = own.documentLanguage ?? mainLanguage(cues.map(({ text }) => text));
  const base: RequestFields = { ...own, documentLanguage, seed, inputFormat: 'plain', speed: 1 };
  let opening: OpeningVoice | undefined | 'none';

  /** Captions of one person have one voice, also where the model would choose another each time. */
  async function inOwnVoice(): Promise<RequestFields> {
    if (base.promptAudio !== undefined || base.referenceAudio !== undefined) return base;
    if (opening === undefined) {
      const own = cues.filter(({ voice }) => voice === undefined).slice(0, 12);
      const text = own.map((cue) => cue.text).join(' ');
      opening = (await speakOpening(engine, { ...base, text }, { signal })) ?? 'none';
    }
    return opening === 'none' ? base : opening.apply(base);
  }

  async function speak(text: string, voice: string | undefined, attempt: number): Promise<SpokenUnit> {
    const spokenBy = voice === undefined ? await inOwnVoice() : withoutOwnVoice(base, voices[voice]);
    const request = { ...spokenBy, text, seed: attemptSeed(seed, attempt) };
    const speech = await inTurns(engine.accept(await inTurns(parseRequestText(request))));
    if (!speech.hasWords) return undefined;
    const pieces: Float32Array[] = [];
    const sentences: TimedSentence[] = [];
    for await (const event of engine.speak(speech, { signal, mayRetract: true, timestamps: 'words' })) {
      pieces.push(event.samples);
      sentences.push(...(event.sentences ?? []));
      for (const warning of event.warnings ?? []) warnings.add(warning);
    }
    return { samples: concatenate(pieces), sentences };
  }

  const dubbed = await dubCues(cues, { ...options, sampleRate, speak, sink });
  return { ...dubbed, sampleRate, seed, warnings: [...warnings, ...dubbed.warnings] };
}

function withoutOwnVoice(fields: RequestFields, voice: NonNullable<RequestFields['voices']>[string] | undefined) {
  const {
    promptAudio: _p,
    promptText: _t,
    referenceAudio: _r,
    voiceLexicon: _l,
    voiceLanguage: _v,
    ...others
  } = fields;
  return { ...others, ...voice };
}
