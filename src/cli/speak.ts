/** What `tts` and `clone` do: check, load, speak, report. */
import { performance } from 'node:perf_hooks';
import { readAudioFile } from '../audio/read-audio.ts';
import type { Engine, SynthesizeOptions } from '../engine/engine.ts';
import { parseRequest, ranges, type SynthesisRequest } from '../engine/request.ts';
import type { Io } from './io.ts';
import { chooseEngine } from './model/model-choice.ts';
import { fieldsOfOptions, type SpeakOptions } from './options/options.ts';
import { readText } from './options/text-input.ts';
import { checkVoice, loadVoiceOption } from './options/voice-choice.ts';
import { type Output, resolveOutput } from './output/output.ts';
import { createProgress } from './output/progress.ts';
import { type Spoken, speakToFile } from './output/speak-to-file.ts';
import { checkSink, openSink } from './output/speech-sink.ts';
import { createWarner, type Warner, warningsBefore } from './output/warnings.ts';

interface Heard extends Spoken {
  readonly firstAudioMilliseconds: number | undefined;
}

/** More gain little on a CPU, and each takes memory. */
const partsAtOnce = 4;

/** @throws SvcError; nothing is left of the output then. */
export async function speak(options: SpeakOptions, io: Io): Promise<void> {
  const output = await resolveOutput(options, io);
  await checkSink(output, options);
  await checkVoice(options, io);
  const requested = await readRequest(options, io);
  const chosen = await chooseEngine(options, io);
  const started = performance.now();
  const engine = await io.openEngine({
    ...chosen,
    // The parts of a long text share each pass over the weights, unless somebody listens.
    maxBatch: output.kind === 'file' ? partsAtOnce : 1,
  });
  try {
    const loaded = performance.now();
    const { name, weightType, architecture, device } = engine.info;
    const load = seconds(loaded - started);
    if (options.verbose) note(io, `model ${name} (${architecture}, ${weightType}) on ${device}, loaded in ${load} s`);
    const voice = await loadVoiceOption(engine, options, io);
    // A seed that is asked for goes before that of the voice.
    const request = { ...requested, ...voice.request, seed: requested.seed ?? voice.request.seed };
    const warner = createWarner(options, io);
    warner.tell([...voice.warnings, ...warningsBefore(engine.info, request, options, output)]);
    const spoken =
      output.kind === 'file'
        ? await speakToPath({ engine, request, output, warner }, options, io)
        : await speakToStream({ engine, request, output, warner }, options, io);
    report({ engine, spoken, warner }, performance.now() - loaded, options, io);
  } finally {
    await engine.close();
  }
}

interface Speaking {
  readonly engine: Engine;
  readonly request: SynthesisRequest;
  readonly output: Output;
  readonly warner: Warner;
}

const nothingSpoken = { samples: 0, patches: 0, parts: 0, end: undefined, firstAudioMilliseconds: undefined } as const;

async function readRequest(options: SpeakOptions, io: Io): Promise<SynthesisRequest> {
  const { promptAudio, promptText, referenceAudio } = options;
  const read = async (path: string | undefined) => (path === undefined ? undefined : readAudioFile(path, io));
  const request = {
    ...fieldsOfOptions(options),
    promptAudio: await read(promptAudio),
    promptText: promptText?.trim(),
    referenceAudio: await read(referenceAudio),
  };
  // All that can be wrong without the text comes before standard input is waited for.
  parseRequest({ ...request, text: 'text' });
  return parseRequest({ ...request, text: await readText(options, io) });
}

/** As `speakToFile`, with a bar. */
async function speakToPath(
  { engine, request, output, warner }: Speaking,
  options: SpeakOptions,
  io: Io,
): Promise<Heard> {
  const progress = options.quiet ? undefined : createProgress(io.stderr);
  const started = performance.now();
  let firstAudioMilliseconds: number | undefined;
  const onProgress: SynthesizeOptions['onProgress'] = ({ part, parts, finished, patches, maxPatches, attempt }) => {
    firstAudioMilliseconds ??= performance.now() - started;
    const label = attempt === 1 ? 'speaking' : `speaking, attempt ${attempt}`;
    if (parts === 1) progress?.update(label, patches, maxPatches);
    else progress?.update(`${label}, part ${part} of ${parts}`, finished, parts);
  };
  try {
    const speaking = { engine, request, output, signal: io.signal, onProgress, onWarnings: warner.tell };
    const spoken = await speakToFile(speaking, options, io);
    return { ...spoken, firstAudioMilliseconds };
  } finally {
    progress?.stop();
  }
}

async function speakToStream(
  { engine, request, output, warner }: Speaking,
  options: SpeakOptions,
  io: Io,
): Promise<Heard> {
  const started = performance.now();
  const stream = engine.stream(request, { signal: io.signal });
  const { warnings } = stream;
  warner.tell(warnings);
  const sink = await openSink(output, stream.sampleRate, options, io);
  let spoken: Heard = { ...nothingSpoken, sampleRate: stream.sampleRate, seed: stream.seed, warnings };
  try {
    for await (const { index, part, samples, end } of stream) {
      const firstAudioMilliseconds = spoken.firstAudioMilliseconds ?? performance.now() - started;
      await sink.write(samples);
      const total = spoken.samples + samples.length;
      spoken = { ...spoken, samples: total, patches: index + 1, parts: part + 1, end, firstAudioMilliseconds };
    }
    await sink.finish();
  } catch (error) {
    await sink.abort();
    throw error;
  }
  return spoken;
}

interface Outcome {
  readonly engine: Engine;
  readonly spoken: Heard;
  readonly warner: Warner;
}

function report({ engine, spoken, warner }: Outcome, milliseconds: number, options: SpeakOptions, io: Io): void {
  const { sampleRate, patches, seed, end, firstAudioMilliseconds } = spoken;
  const audioSeconds = spoken.samples / sampleRate / (options.speed ?? ranges.speed.default);
  const rtf = round(milliseconds / 1000 / audioSeconds, 3);
  warner.tell(spoken.warnings);
  if (end === 'limit') {
    const what =
      spoken.parts > 1
        ? 'a part of the speech reached its limit'
        : `the speech reached the limit of ${patches} patches`;
    warner.tell([`${what} and may be cut off`]);
  }
  if (options.json) {
    const line = {
      audioSeconds: round(audioSeconds, 4),
      seconds: seconds(milliseconds),
      rtf,
      ttfaMs: firstAudioMilliseconds === undefined ? null : round(firstAudioMilliseconds, 1),
      patches,
      parts: spoken.parts,
      seed,
      sampleRate,
      model: engine.info.name,
      backend: engine.info.device,
      warnings: warner.told,
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
