/** The work of `svc dub`: reads captions, speaks them at their times, and says how they fit. */
import { performance } from 'node:perf_hooks';
import { formatCues } from '../captions/format-cues.ts';
import { readCaptionFile } from '../captions/read-captions.ts';
import { withoutPadding } from '../captions/timed-lines.ts';
import { dubFields } from '../dub/dub-captions.ts';
import { type DubbedCue, spokenCues } from '../dub/dub-cues.ts';
import { assertSilence, longestSilence } from '../dub/stated-silence.ts';
import { SvcError } from '../errors.ts';
import { aboutEncoding, decodeTextFile } from '../files/any-encoding.ts';
import { refuseNamedPipe } from '../files/file-system.ts';
import { quote } from '../messages.ts';
import { captionFormatOf, writeCaptionText } from '../speech-files/captions-file.ts';
import { requestError } from '../validation.ts';
import type { Io } from './io.ts';
import { chooseLoras, requireOne } from './model/lora-choice.ts';
import { chooseEngine } from './model/model-choice.ts';
import { chooseRecognizer } from './options/recognizer.ts';
import { readFields, transcribePrompt } from './options/request-fields.ts';
import type { SpeakOptions } from './options/speak-options.ts';
import { maxTextBytes, readFileStart, tooMuchText, withPromptFile } from './options/text-input.ts';
import { chooseNamedVoices, chooseVoiceOption, loadVoices, openVoices } from './options/voice-choice.ts';
import { noteDemoModel } from './output/demo-note.ts';
import { printNote } from './output/messages.ts';
import { requireFolderFor, resolveOutput } from './output/output.ts';
import { createProgress } from './output/progress.ts';
import { checkSink, openSink } from './output/speech-sink.ts';
import { formatRtf, formatSeconds, round } from './output/units.ts';
import { aboutRecordings, createWarner } from './output/warnings.ts';

export type DubCommandOptions = Omit<SpeakOptions, 'captions'> & {
  readonly captions: string;
  readonly newCaptions?: string | undefined;
  readonly sounds?: boolean | undefined;
  readonly maxSpeed?: number | undefined;
  readonly tries?: number | undefined;
};

/** @throws SvcError; no output file is left then */
export async function dub(given: DubCommandOptions, io: Io): Promise<void> {
  const options = await withPromptFile(given, io);
  requireOne(options);
  const { captions: path, newCaptions } = options;
  const format = newCaptions === undefined ? undefined : captionFormatOf(newCaptions, '--new-captions');
  if (newCaptions !== undefined && newCaptions !== '-') await requireFolderFor(newCaptions, '--new-captions');
  const aboutMp4 = 'is no audio file: name a .wav, and join it with the video, as with ffmpeg';
  const output = await resolveOutput(options, io, aboutMp4);
  if (newCaptions === '-' && output.kind === 'stream')
    throw requestError('--output - and --new-captions - cannot be combined: name a file for one of them');
  await checkSink(output, options);
  await refuseNamedPipe(path, () => requestError(`cannot read the captions ${quote(path)}: it is a named pipe`));
  const { text: captions, warnings: problems } = await readCaptionText(path, io.signal);
  const sounds = options.sounds === true ? 'spoken' : 'silent';
  // Before a model is loaded, and with the name of the file.
  await readCaptionFile(captions, { sounds, signal: io.signal })
    .then(({ cues }) => assertSilence(cues, longestSilence))
    .catch((cause: Error) => {
      io.signal.throwIfAborted();
      throw new SvcError('INVALID_REQUEST', `${quote(path)}: ${cause.message}`, { cause });
    });
  await using voices = openVoices(options, io);
  const own = await chooseVoiceOption({ ...options, inputFormat: 'script' }, voices);
  const named = await chooseNamedVoices(options.voices ?? {}, undefined, voices);
  const recognize = await chooseRecognizer(options, io);
  const { fields: incomplete, warnings } = await readFields(options, recognize, io);
  const loras = await chooseLoras(options, io);
  const chosen = await chooseEngine(options, io);
  const fields = { ...(await transcribePrompt(incomplete, options, recognize, io)), lora: loras.only };
  await using engine = await io.openEngine({ ...chosen, maxBatch: 1 }, { recognize, loras: loras.catalog });
  noteDemoModel(engine.info, options, io);
  const voice = await loadVoices(engine, { own, named }, voices, io.signal);
  const request = { ...fields, ...voice.request, seed: fields.seed ?? voice.request.seed };
  const warner = createWarner(options, io);
  warner.report([...problems, ...warnings, ...voice.warnings, ...aboutRecordings(engine.info, request, options)]);
  using progress = options.quiet || output.kind === 'stream' ? undefined : createProgress(io.stderr);
  const started = performance.now();
  const sink = await openSink(output, engine.info.outputSampleRate, io);
  try {
    const dubbed = await dubFields(engine, captions, request, sink, {
      signal: io.signal,
      sounds,
      maxSpeed: options.maxSpeed,
      tries: options.tries,
      onProgress: (count, total) => progress?.update(`caption ${count} of ${total}`, count / total),
    });
    await sink.finish();
    if (newCaptions !== undefined && format !== undefined) {
      await writeCaptionText(newCaptions, formatCues(spokenCues(dubbed.cues), format), io.stdout);
    }
    progress?.complete();
    progress?.stop();
    warner.report(dubbed.warnings);
    const elapsed = (performance.now() - started) / 1000;
    const { cues, seconds: audioSeconds, retries, seed, sampleRate } = dubbed;
    const fits = countFits(cues);
    if (options.json) {
      const line = {
        audioSeconds: round(audioSeconds, 3),
        seconds: round(elapsed, 3),
        seed,
        sampleRate,
        model: engine.info.name,
        output: options.output,
        retries,
        fits,
        captions: cues.map(plainCue),
        warnings: warner.reported,
      };
      (output.kind === 'stream' || newCaptions === '-' ? io.stderr : io.stdout).write(`${JSON.stringify(line)}\n`);
    } else if (options.verbose || (io.stderr.isTTY === true && !options.quiet)) {
      const counts = Object.entries(fits).map(([fit, count]) => `${count} ${fit}`);
      const times = `${formatSeconds(audioSeconds)} in ${formatSeconds(elapsed)} (${formatRtf(elapsed / audioSeconds)})`;
      printNote(`${options.output}: ${cues.length} captions (${counts.join(', ')}), ${times}, seed ${seed}`, io);
    }
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

/** In any encoding that its bytes look like. @throws SvcError INVALID_REQUEST */
async function readCaptionText(path: string, signal: AbortSignal) {
  const bytes = await readFileStart(path, 'captions', signal);
  if (bytes.length > maxTextBytes) throw tooMuchText(quote(path));
  const decoded = decodeTextFile(withoutPadding(bytes), quote(path), 'text');
  if (decoded.text.trim() === '') throw requestError(`${quote(path)} is empty: it must contain captions`);
  return { text: decoded.text, warnings: aboutEncoding(decoded, quote(path)) };
}

function countFits(cues: readonly DubbedCue[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { fit } of cues) counts[fit] = (counts[fit] ?? 0) + 1;
  return counts;
}

const plainCue = ({ text, voice, start, end, spokenStart, spokenEnd, speed, fit }: DubbedCue) => ({
  text,
  voice: voice ?? null,
  start: round(start, 3),
  end: round(end, 3),
  spokenStart: round(spokenStart, 3),
  spokenEnd: round(spokenEnd, 3),
  speed: round(speed, 3),
  fit,
});
