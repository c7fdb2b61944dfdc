/** Speech of captions at their times. */
import type { Response } from 'express';
import { z } from 'zod';
import { audioFormats } from '../../audio/encode/format.ts';
import { createStreamWriter, through } from '../../audio/encode/sink.ts';
import { endOfCues } from '../../captions/end-of-cues.ts';
import { formatCues } from '../../captions/format-cues.ts';
import { aboutSilent, readCaptionFile } from '../../captions/read-captions.ts';
import { type DubbedCue, type DubMeans, dubCues, dubRanges, spokenCues } from '../../dub/dub-cues.ts';
import { nameVoices, speakerWithoutVoice } from '../../dub/speech-units.ts';
import { assertSilence } from '../../dub/stated-silence.ts';
import { attemptSeed } from '../../engine/bad-case.ts';
import { randomSeed } from '../../engine/noise.ts';
import type { TimedSentence } from '../../engine/timing/timed-text.ts';
import { mostVoices } from '../../engine/voice-fields.ts';
import { SvcError } from '../../errors.ts';
import { concatenate } from '../../float-arrays.ts';
import { numberIn, requestError, text } from '../../validation.ts';
import type { ModelContext, ServerContext } from '../context/context.ts';
import { wholeFile } from '../http/byte-range.ts';
import { warningFields } from '../http/warning-fields.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import { createFairness } from '../jobs/fairness.ts';
import { withJob } from '../jobs/jobs.ts';
import { withModel } from '../jobs/model-context.ts';
import { jsonWithRecording } from '../middleware/bodies.ts';
import { jsonRequest, type Operation, route } from '../openapi/operation.ts';
import { defaultFormat, speechBody, speechObject } from '../schemas/speech.ts';
import { acceptJson } from '../speech/accepted-request.ts';
import { sendWhenComplete } from '../speech/complete-file.ts';
import { createSlowClientWriter } from '../speech/slow-client-writer.ts';
import { openSpeech } from '../speech/speech.ts';
import { openObject } from '../speech/speech-json.ts';
import { audioAnswer, audioContents, takeBody } from './speech.ts';

const dubBody = speechBody
  .omit({ input: true, input_format: true, stream: true, timestamps: true, speed: true, stream_format: true })
  .extend({
    captions: text.describe(
      'Captions in SubRip or WebVTT, up to 65,536 characters: at most 2,000 captions of 1,000 characters, 64 speakers and ten minutes of silence.',
    ),
    max_speed: numberIn(dubRanges.maxSpeed).nullish().meta({
      description: 'How much faster than spoken a caption may be.',
      default: dubRanges.maxSpeed.default,
    }),
    tries: numberIn(dubRanges.tries).nullish().meta({
      description: 'Attempts at speech that is too long for its caption, with other seeds.',
      default: dubRanges.tries.default,
    }),
    sounds: z.enum(['silent', 'spoken'], { error: 'silent or spoken' }).nullish().meta({
      description: 'Whether sounds and music, such as `[door slams]`, are spoken.',
      default: 'silent',
    }),
    stream_format: z.enum(['audio', 'json'], { error: 'audio or json' }).nullish().meta({
      description:
        '`audio` (the default) for the bytes of a file, `json` for an object with the file, new captions and a report.',
    }),
  });
type DubBody = Readonly<z.output<typeof dubBody>>;

const reportedCue = z.object({
  text: z.string(),
  voice: z.string().nullable().describe('Name of the speaker.'),
  start: z.number().describe('When the caption begins, in seconds.'),
  end: z.number(),
  spoken_start: z.number().describe('When its speech begins, in seconds.'),
  spoken_end: z.number(),
  speed: z.number().describe('1 for speech as it was generated.'),
  fit: z.enum(['natural', 'faster', 'gap', 'late', 'silent']).describe('How the speech fits the caption.'),
});

const dubAnswer = z.object({
  ...speechObject.omit({ timestamps: true, warnings: true }).shape,
  captions: z.string().describe('The captions with the times of the speech, in the format of the request.'),
  cues: z.array(reportedCue),
  warnings: z.array(z.string()).describe('Captions that are too long, and how the speech differs from the request.'),
});

const dubExample: z.output<typeof dubAnswer> = {
  audio_format: 'audio/wav',
  sample_rate: 16_000,
  seed: 7,
  audio: 'UklGRiQAAABXQVZF…',
  captions: '1\n00:00:01,000 --> 00:00:01,720\nHello there.\n',
  cues: [
    {
      ...{ text: 'Hello there.', voice: null, start: 1, end: 3 },
      ...{ spoken_start: 1, spoken_end: 1.72, speed: 1, fit: 'natural' },
    },
  ],
  warnings: [],
};

export const dubOperation = (context: ServerContext): Operation => ({
  ...route('post', '/v1/audio/dub', 'speech', 'Generate speech of captions at their times.'),
  description:
    'Each caption begins at its time. Speech that is too long is generated again, made faster, then continued in the gap behind its caption; what is still too long delays the next one, with a warning. Speakers are those of `<v Name>`, or of a prefix such as `Name:` for the names in `voices`. The file is sent when it is complete.',
  ...jsonRequest(dubBody, { captions: '1\n00:00:01,000 --> 00:00:03,000\nHello there.\n', response_format: 'wav' }),
  answers: {
    200: audioAnswer(
      { ...audioContents, 'application/json': dubAnswer },
      dubExample,
      'The speech, as long as the captions.',
    ),
  },
  failures: [400, 403, 404, 413, 503],
  handlers: jsonWithRecording(context),
  async handle(request, response) {
    const body = takeBody(dubBody, request);
    await withModel(context, body, response, (model) => dub(model, body, response));
  },
});

/** A speaker with a voice does not speak in that of the request. */
const withoutRecordings = {
  ...{ speaker: undefined, prompt_wav_path: undefined, reference_wav_path: undefined },
  ...{ prompt_audio: undefined, prompt_text: undefined, ref_audio: undefined, ref_text: undefined },
} satisfies Partial<DubBody>;

/** The memory of a request is that of the longest caption, and each caption is a speech of its own. */
const captionLimits = { captions: 2_000, lines: 50, captionCharacters: 1_000, nesting: 16, speakers: mostVoices };

async function dub(context: ModelContext, body: DubBody, response: Response): Promise<void> {
  const { captions, voices, max_speed, tries, stream_format, sounds: stated, ...settings } = body;
  const sounds = stated ?? 'silent';
  const { limits } = context.settings;
  if (captions.length > limits.inputCharacters) {
    const message = `captions has ${captions.length} characters; the limit is ${limits.inputCharacters}`;
    throw requestError(message, 'captions');
  }
  const names = voices ?? {};
  const read = await withErrorParam('captions', () => readCaptionFile(captions, { limits: captionLimits, sounds }));
  const { cues, unknown } = nameVoices(read.cues, Object.keys(names));
  if (cues.length === 0) throw requestError('captions has no text', 'captions');
  if (endOfCues(cues) > limits.speechSeconds) {
    const message = `captions is longer than the limit of ${limits.speechSeconds} s of speech`;
    throw new SvcError('PAYLOAD_TOO_LARGE', message, { param: 'captions' });
  }
  assertSilence(cues, limits.pausesSeconds, 'captions');
  const format = body.response_format ?? defaultFormat;
  const { mimeType, sampleRate: storedRate } = audioFormats[format] as { mimeType: string; sampleRate?: number };
  const sampleRate = body.sample_rate ?? storedRate ?? context.engine.info.outputSampleRate;
  const seed = body.seed ?? randomSeed();
  const warnings = new Set([
    ...read.warnings,
    ...aboutSilent(read, '"sounds": "spoken"'),
    ...unknown.map(speakerWithoutVoice),
  ]);
  const accept = (spoken: string, voice: string | undefined, attempt: number, signal: AbortSignal) => {
    const fields = {
      ...settings,
      ...(voice === undefined ? {} : { ...withoutRecordings, voice: names[voice] }),
      input: spoken,
      speed: undefined,
      input_format: 'plain',
      timestamps: 'word',
    } as const;
    const input = { ...fields, seed: attemptSeed(seed, attempt) };
    return acceptJson({ ...context, signal }, input, { output: { format, rate: sampleRate } });
  };
  // Wrong voices and fields are found before the queue.
  const first = new Map(cues.map((cue) => [cue.voice, cue.text]));
  for (const [voice, spoken] of first) await accept(spoken, voice, 0, context.signal);
  await withJob(context, response, async (job) => {
    const arrived = response.locals.arrived as number;
    const speak: DubMeans['speak'] = async (spoken, voice, attempt) => {
      const accepted = await accept(spoken, voice, attempt, job.signal);
      if (accepted.isSilent) return undefined;
      const speech = await openSpeech(context, accepted, { job, arrived });
      const pieces: Float32Array[] = [];
      const sentences: TimedSentence[] = [];
      try {
        for await (const event of speech.events) {
          pieces.push(event.samples);
          sentences.push(...(event.sentences ?? []));
        }
        for (const warning of speech.warnings()) warnings.add(warning);
      } finally {
        await speech.close();
      }
      return { samples: concatenate(pieces), sentences };
    };
    const send = createSlowClientWriter(job, limits, createStreamWriter(response));
    const begin = (bytes?: number) => {
      const headers = { 'Cache-Control': 'no-store', 'X-Sample-Rate': String(sampleRate), 'X-Seed': String(seed) };
      const type = stream_format === 'json' ? 'application/json' : mimeType;
      response.status(200).set({ 'Content-Type': type, ...headers });
      if (bytes !== undefined) response.set('Content-Length', String(bytes));
      response.set(warningFields([...warnings]));
      response.flushHeaders();
      return bytes === undefined ? undefined : wholeFile(bytes);
    };
    const { openTemporaryFile: openFile } = context;
    const encoder = context.encoders.open({ format, sampleRate });
    let dubbed: readonly DubbedCue[] = [];
    const output =
      stream_format === 'json'
        ? openObject(
            {
              audio: 'audio',
              first: () => {
                begin();
                return { audio_format: mimeType, sample_rate: sampleRate, seed };
              },
              last: () => ({
                captions: formatCues(spokenCues(dubbed), /^\uFEFF?WEBVTT/.test(captions) ? 'vtt' : 'srt'),
                cues: dubbed.map(reportCue),
                warnings: [...warnings],
              }),
            },
            { openEncoder: () => encoder, send, sizes: 'at the beginning', openFile },
          )
        : through(encoder, sendWhenComplete({ begin, send }, openFile));
    const giveWay = createFairness(job, limits);
    try {
      const write = async (samples: Float32Array): Promise<void> => {
        await output.write(samples);
        await giveWay(samples.length / sampleRate);
      };
      const limited = { maxSpeed: max_speed ?? undefined, tries: tries ?? undefined };
      const means: DubMeans = { sampleRate, speak, sink: { write }, signal: job.signal, ...limited };
      const { cues: spoken, warnings: about } = await dubCues(cues, means);
      dubbed = spoken;
      for (const warning of about) warnings.add(warning);
      await output.finish();
      response.end();
    } finally {
      void output.abort();
    }
  });
}

const milliseconds = (value: number): number => Math.round(value * 1000) / 1000;

const reportCue = (cue: DubbedCue): z.output<typeof reportedCue> => ({
  text: cue.text,
  voice: cue.voice ?? null,
  start: milliseconds(cue.start),
  end: milliseconds(cue.end),
  spoken_start: milliseconds(cue.spokenStart),
  spoken_end: milliseconds(cue.spokenEnd),
  speed: milliseconds(cue.speed),
  fit: cue.fit,
});
