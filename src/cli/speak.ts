/** What `tts` and `clone` do: check, load, speak, report. */
import { performance } from 'node:perf_hooks';
import { readAudioFile } from '../audio/wav.ts';
import { createWavFile, createWavStream } from '../audio/wav-encode.ts';
import type { Engine } from '../engine/engine.ts';
import { parseRequest, type SynthesisRequest } from '../engine/request.ts';
import type { Io } from './io.ts';
import { chooseModel } from './model-choice.ts';
import type { SpeakOptions } from './options.ts';
import { type Output, resolveOutput } from './output.ts';
import { createProgress } from './progress.ts';
import { readText } from './text-input.ts';
import { checkVoice, chooseVoice } from './voice-choice.ts';

/** What is known of the audio once it is spoken. */
interface Spoken {
  readonly samples: number;
  readonly sampleRate: number;
  readonly patches: number;
  readonly seed: number;
  readonly end: 'stop' | 'limit' | undefined;
  readonly firstAudioMilliseconds: number | undefined;
}

/** @throws SvcError; nothing is left of the output then. */
export async function speak(options: SpeakOptions, io: Io): Promise<void> {
  const output = await resolveOutput(options.output, io);
  await checkVoice(options, io);
  const requested = await readRequest(options, io);
  const { backend, threads } = options;
  const modelPath = await chooseModel(options, io);
  const started = performance.now();
  const engine = await io.openEngine({
    ...(modelPath === undefined ? {} : { modelPath }),
    ...(backend === undefined ? {} : { backend }),
    ...(threads === undefined ? {} : { threads }),
    maxBatch: 1,
  });
  try {
    const loaded = performance.now();
    const { name, weightType, architecture, device } = engine.info;
    const load = seconds(loaded - started);
    if (options.verbose) note(io, `model ${name} (${architecture}, ${weightType}) on ${device}, loaded in ${load} s`);
    const request = { ...requested, ...(await chooseVoice(engine, options, io)) };
    warnBefore(engine, request, options, output, io);
    const spoken =
      output.kind === 'file'
        ? await speakToFile(engine, request, output.path, options, io)
        : await speakToStream(engine, request, io);
    report(engine, spoken, performance.now() - loaded, options, io);
  } finally {
    await engine.close();
  }
}

async function readRequest(options: SpeakOptions, io: Io): Promise<SynthesisRequest> {
  const { promptAudio, promptText, referenceAudio, control, cfgValue, inferenceTimesteps } = options;
  const { minLength, maxLength, seed, retryBadcase } = options;
  const request = {
    ...(promptAudio === undefined ? {} : { promptAudio: await readAudioFile(promptAudio) }),
    ...(promptText === undefined ? {} : { promptText: promptText.trim() }),
    ...(referenceAudio === undefined ? {} : { referenceAudio: await readAudioFile(referenceAudio) }),
    ...(control === undefined ? {} : { control }),
    ...(cfgValue === undefined ? {} : { cfg: cfgValue }),
    ...(inferenceTimesteps === undefined ? {} : { timesteps: inferenceTimesteps }),
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(seed === undefined ? {} : { seed }),
    ...(retryBadcase === undefined ? {} : { retryBadcase }),
  };
  // All that can be wrong without the text comes before standard input is waited for.
  parseRequest({ ...request, text: 'text' });
  return parseRequest({ ...request, text: await readText(options, io) });
}

async function speakToFile(
  engine: Engine,
  request: SynthesisRequest,
  path: string,
  { quiet }: SpeakOptions,
  io: Io,
): Promise<Spoken> {
  const progress = quiet ? undefined : createProgress(io.stderr);
  const started = performance.now();
  let firstAudio: number | undefined;
  try {
    const speech = await engine.synthesize(request, {
      signal: io.signal,
      onProgress: ({ patches, maxPatches, attempt }) => {
        if (patches === 1) firstAudio = performance.now() - started;
        progress?.update(attempt === 1 ? 'speaking' : `speaking, attempt ${attempt}`, patches, maxPatches);
      },
    });
    const sink = await createWavFile(path, speech.sampleRate);
    try {
      await sink.write(speech.samples);
      io.signal.throwIfAborted();
      await sink.finish();
    } catch (error) {
      await sink.abort();
      throw error;
    }
    return { ...speech, samples: speech.samples.length, firstAudioMilliseconds: firstAudio };
  } finally {
    progress?.stop();
  }
}

async function speakToStream(engine: Engine, request: SynthesisRequest, io: Io): Promise<Spoken> {
  const started = performance.now();
  const stream = engine.stream(request, { signal: io.signal });
  const sink = createWavStream(io.stdout, stream.sampleRate);
  let spoken: Spoken = { ...stream, samples: 0, patches: 0, end: undefined, firstAudioMilliseconds: undefined };
  for await (const { index, samples, end } of stream) {
    const firstAudioMilliseconds = spoken.firstAudioMilliseconds ?? performance.now() - started;
    await sink.write(samples);
    spoken = { ...spoken, samples: spoken.samples + samples.length, patches: index + 1, end, firstAudioMilliseconds };
  }
  await sink.finish();
  return spoken;
}

function warnBefore(engine: Engine, request: SynthesisRequest, options: SpeakOptions, output: Output, io: Io): void {
  if (options.quiet) return;
  const { name, limits } = engine.info;
  const characters = [...request.text].length;
  if (limits.maxTextCharacters !== undefined && characters > limits.maxTextCharacters) {
    note(io, `warning: model ${name} drops words past ${limits.maxTextCharacters} characters, received ${characters}`);
  }
  if (limits.fixedVoice && (request.promptAudio !== undefined || request.referenceAudio !== undefined)) {
    note(io, `warning: model ${name} has one voice, the given audio does not change it`);
  }
  if (options.retryBadcase === true && output.kind === 'stream') {
    note(io, 'warning: --retry-badcase has no effect with --output -, what is spoken has been heard');
  }
}

function report(engine: Engine, spoken: Spoken, milliseconds: number, options: SpeakOptions, io: Io): void {
  const { sampleRate, patches, seed, end, firstAudioMilliseconds } = spoken;
  const audioSeconds = spoken.samples / sampleRate;
  const rtf = round(milliseconds / 1000 / audioSeconds, 3);
  if (end === 'limit' && !options.quiet) {
    note(io, `warning: the speech reached the limit of ${patches} patches and may be cut off`);
  }
  if (options.json) {
    const line = {
      audioSeconds: round(audioSeconds, 4),
      seconds: seconds(milliseconds),
      rtf,
      ttfaMs: firstAudioMilliseconds === undefined ? null : round(firstAudioMilliseconds, 1),
      patches,
      seed,
      sampleRate,
      model: engine.info.name,
      backend: engine.info.device,
    };
    (options.output === '-' ? io.stderr : io.stdout).write(`${JSON.stringify(line)}\n`);
  } else if (options.verbose || (io.stderr.isTTY === true && !options.quiet)) {
    const speed = `${round(audioSeconds, 2)} s of speech in ${round(milliseconds / 1000, 2)} s (RTF ${rtf}), seed ${seed}`;
    note(io, options.output === '-' ? speed : `${options.output}: ${speed}`);
  }
}

const note = (io: Io, message: string): void => void io.stderr.write(`svc: ${message}\n`);

const seconds = (milliseconds: number): number => round(milliseconds / 1000, 3);

const round = (value: number, digits: number): number => Number(value.toFixed(digits));
