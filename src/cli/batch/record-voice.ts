/** The voices and lexicons of a batch. Many lines share a few, so each is read once. */
import { checkPrompt } from '../../audio/analyze/prompt-check.ts';
import { trimRecording } from '../../audio/analyze/trim-silence.ts';
import { readAudioFile } from '../../audio/decode/read-audio.ts';
import type { Recognize } from '../../engine/recognize.ts';
import type { SpeechSource } from '../../engine/speech-source.ts';
import type { EncodedAudio } from '../../engine/voice-fields.ts';
import type { LoadedVoice } from '../../voices/voice-catalog.ts';
import type { VoiceRequest } from '../../voices/voice-service.ts';
import type { Io } from '../io.ts';
import type { OutputOptions } from '../options/output-options.ts';
import { transcribe } from '../options/recognizer.ts';
import { readLexicons } from '../options/text-input.ts';
import { type CommandVoices, chooseVoiceOption, loadVoices } from '../options/voice-choice.ts';
import { rememberRecent } from './recent.ts';
import type { BatchRecord, ParsedRecord } from './record.ts';

/** Recordings and voices in memory: half a minute of encoded speech takes about 100 KB. */
const remembered = 64;

export interface RecordVoiceOptions extends Pick<OutputOptions, 'quiet'> {
  readonly voices: CommandVoices;
  readonly engine: SpeechSource;
  /** Transcribes prompts without transcript, each once. */
  readonly recognize?: Recognize | undefined;
  /** Called once per lexicon and problem. */
  readonly onWarning: (warning: string) => void;
}

/** How a line uses a recording, as the key of what is remembered. */
interface RecordingUse extends Pick<BatchRecord, 'denoise' | 'trimSilence'> {
  readonly path: string;
  readonly role: EncodedAudio['role'];
}

/** Loads voices and lexicon of a record. Rejects as `readAudioFile`, `chooseVoiceOption`, `loadVoices` and `readLexicons` do. */
export function createRecordVoice({ engine, voices: known, recognize, quiet, onWarning }: RecordVoiceOptions, io: Io) {
  const { info } = engine;
  const { signal } = io;
  const stored = rememberRecent(async (voice) => {
    const own = await chooseVoiceOption({ voice }, known);
    return loadVoices(engine, { own, named: {} }, known, signal);
  }, remembered);
  const encodings = rememberRecent(async (key) => {
    const { path, role, denoise, trimSilence } = JSON.parse(key) as RecordingUse;
    const read = await readAudioFile(path, { denoise, signal });
    const audio = trimSilence ? trimRecording(read) : read;
    // The engine refuses reference audio for this model.
    if (role === 'reference' && info.architecture !== 'voxcpm2') return { audio, warnings: [] };
    const found = checkPrompt(audio, info, role, denoise ? undefined : 'denoise');
    const warnings = found.map((warning) => `${warning} (${path})`);
    return { audio: await engine.encode(audio, role, { signal }), warnings };
  }, remembered);
  const transcripts = rememberRecent(async (path) => {
    // Lines without transcript are refused without a recognizer.
    if (recognize === undefined) return '';
    const audio = await readAudioFile(path, { signal });
    return transcribe(recognize, { audio, path, flag: 'promptText', quiet }, io);
  }, remembered);
  const lexicons = rememberRecent(async (paths) => {
    const { entries, warnings } = await readLexicons({ lexicon: JSON.parse(paths) as string[] }, { signal });
    for (const warning of warnings) onWarning(warning);
    return entries;
  }, remembered);
  return async ({ record, voiceNames }: ParsedRecord) => {
    const own = await voiceOf(record);
    const voices = new Map<string, VoiceRequest>();
    const warnings = [...own.warnings];
    for (const [name, id] of Object.entries(voiceNames)) {
      const { request, warnings: more } = await stored(id);
      const { seed: _s, voices: _v, ...voice } = request;
      voices.set(name, voice);
      warnings.push(...more);
    }
    const lexicon = record.lexicon && (await lexicons(JSON.stringify(record.lexicon)));
    const named = voices.size === 0 ? {} : { voices: Object.fromEntries(voices) };
    return { request: { ...own.request, ...named, lexicon }, warnings };
  };

  async function voiceOf(record: BatchRecord): Promise<LoadedVoice> {
    const { voice, promptAudio, promptText, referenceAudio, denoise = false, trimSilence = false } = record;
    const isUnused = denoise && promptAudio === undefined && referenceAudio === undefined;
    const unused = isUnused ? ['denoise has no effect without promptAudio or referenceAudio'] : [];
    if (voice !== undefined) {
      const { request, warnings } = await stored(voice);
      return { request, warnings: [...warnings, ...unused] };
    }
    const encoded = async (path: string | undefined, role: EncodedAudio['role']) =>
      path === undefined
        ? undefined
        : encodings(JSON.stringify({ path, role, denoise, trimSilence } satisfies RecordingUse));
    const prompt = await encoded(promptAudio, 'prompt');
    const reference = await encoded(referenceAudio, 'reference');
    const request = {
      promptAudio: prompt?.audio,
      promptText: promptText ?? (promptAudio === undefined ? undefined : await transcripts(promptAudio)),
      referenceAudio: reference?.audio,
    };
    return { request, warnings: [...(prompt?.warnings ?? []), ...(reference?.warnings ?? []), ...unused] };
  }
}
