/** `svc batch --check`: finds what would make lines fail, without a model. */
import { assertAudible } from '../../audio/analyze/prompt-check.ts';
import { readAudioFile } from '../../audio/decode/read-audio.ts';
import { assertWords, hasSpeakableText } from '../../engine/accepted.ts';
import { unknownAdapter } from '../../engine/lora/adapter-catalog.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { inTurns } from '../../event-loop.ts';
import type { Io } from '../io.ts';
import { loraNames } from '../options/lora-options.ts';
import { readLexicons } from '../options/script-options.ts';
import { type CommandVoices, chooseVoiceOption, openVoices, voiceRevision } from '../options/voice-choice.ts';
import { printError, printNote, printWarning } from '../output/messages.ts';
import { type BatchOptions, defaultsOf } from './batch-options.ts';
import { nameLine } from './batch-progress.ts';
import { chooseBatchBroker } from './broker-options.ts';
import { openInput } from './input.ts';
import { rememberRecent } from './recent.ts';
import type { ParsedRecord } from './record.ts';
import { detectFormat, readUtterances, surveyInput } from './utterances.ts';

/** Files and voices that are read once, although many lines use them. */
const remembered = 1000;

/** Prints one line for each line of the input with a problem. @throws SvcError as `failureOf` */
export async function checkBatch(options: BatchOptions, io: Io): Promise<void> {
  await using input = await openInput(options.input, io, options.quiet);
  const inputFormat = options.inputFormat ?? (await detectFormat(input));
  const transcript = options.checkWith === undefined ? ('given' as const) : ('follows' as const);
  const reading = { inputFormat, defaults: defaultsOf(options), transcript };
  const broker = await chooseBatchBroker(options, io);
  await using voices = openVoices(options, io);
  const checkRecord = createRecordCheck(options, broker === undefined ? 'here' : 'workers', voices, io);
  const codes = new Set<SvcError['code']>();
  let count = 0;
  let failed = 0;
  for await (const utterance of readUtterances(input, reading)) {
    io.signal.throwIfAborted();
    count += 1;
    const problem = 'problem' in utterance ? utterance.problem : await checkRecord(utterance);
    if (problem === undefined) continue;
    if (problem.code === 'CANCELLED') throw problem;
    failed += 1;
    codes.add(problem.code);
    printError(`${nameLine(utterance.line, utterance.id)}: ${problem.message}`, io);
  }
  // Finds lines with the same id.
  await surveyInput(input, reading);
  if (options.json) io.stdout.write(`${JSON.stringify({ utterances: count, valid: count - failed, failed })}\n`);
  if (failed === 0) {
    if (options.verbose || (io.stderr.isTTY === true && !options.quiet)) printNote(`all ${count} lines are valid`, io);
    return;
  }
  throw failureOf(codes, failed, count);
}

/** The error of a list with problems: with their code if they have one in common, else INTERNAL. */
export function failureOf(codes: ReadonlySet<SvcError['code']>, failed: number, count: number): SvcError {
  const [code = 'INTERNAL'] = codes.size === 1 ? codes : [];
  return new SvcError(code, `${failed} of ${count} lines have a problem`);
}

/** Resolves to the first problem of the voices and files of a record. */
function createRecordCheck(
  options: BatchOptions,
  adapters: 'here' | 'workers',
  voices: CommandVoices,
  io: Io,
): (parsed: ParsedRecord) => Promise<SvcError | undefined> {
  const { quiet } = options;
  const loras = loraNames(options);
  const warn = (message: string): void => void (quiet || printWarning(message, io));
  const voice = rememberRecent(remembered, async (key) => {
    const [name, control = undefined] = JSON.parse(key) as string[];
    await chooseVoiceOption({ voice: name, control }, voices);
  });
  const named = rememberRecent(remembered, async (name) => void (await voiceRevision(name, voices)));
  const recordingAs = (role: 'prompt' | 'reference') =>
    rememberRecent(remembered, async (path) => assertAudible(await readAudioFile(path, io), `${role} audio`));
  const [prompt, reference] = [recordingAs('prompt'), recordingAs('reference')];
  const lexicon = rememberRecent(remembered, async (path) => {
    for (const warning of (await readLexicons({ lexicon: [path] }, io)).warnings) warn(warning);
  });
  return async ({ record, request, voiceNames }) => {
    const { voice: name, promptAudio, referenceAudio, control } = record;
    try {
      assertWords({ hasWords: await inTurns(hasSpeakableText(request.passages, request)) }, request);
      if (record.lora && adapters === 'here' && !loras.includes(record.lora)) throw unknownAdapter(record.lora, loras);
      if (name !== undefined) await voice(JSON.stringify(control === undefined ? [name] : [name, control]));
      for (const id of Object.values(voiceNames)) await named(id);
      if (promptAudio !== undefined) await prompt(promptAudio);
      if (referenceAudio !== undefined) await reference(referenceAudio);
      for (const path of record.lexicon ?? []) await lexicon(path);
      return undefined;
    } catch (error) {
      return toSvcError(error);
    }
  };
}
