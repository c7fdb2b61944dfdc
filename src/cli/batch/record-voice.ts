/** The voices and lexicons of a batch. Many lines share a few, so each is read once. */
import { checkPrompt } from '../../audio/prompt-check.ts';
import { readAudioFile } from '../../audio/read-audio.ts';
import { trimRecording } from '../../audio/trim-silence.ts';
import type { Engine } from '../../engine/engine.ts';
import { ignoredAudio } from '../../engine/fixed-voice.ts';
import type { Recognize } from '../../engine/recognize.ts';
import type { EncodedAudio, SynthesisRequest } from '../../engine/request.ts';
import type { LoadedVoice } from '../../voices/voice-catalog.ts';
import type { VoiceRequest } from '../../voices/voice-service.ts';
import type { Io } from '../io.ts';
import type { OutputOptions, VoiceOptions } from '../options/options.ts';
import { transcribe } from '../options/recognizer.ts';
import { readLexicons } from '../options/script-options.ts';
import { loadVoiceOption } from '../options/voice-choice.ts';
import { rememberRecent } from './recent.ts';
import { type BatchRecord, namedVoices } from './record.ts';

/** Half a minute of encoded speech takes about 100 KB. */
const remembered = 64;

export interface RecordVoiceOptions extends Pick<VoiceOptions, 'voiceDir'>, Pick<OutputOptions, 'quiet'> {
  readonly engine: Engine;
  readonly signal: AbortSignal;
  /** Transcribes prompts without transcript, each once. */
  readonly recognize?: Recognize | undefined;
  /** Called once per recording and problem. */
  readonly onWarning: (warning: string) => void;
}

/** How a line uses a recording, as the key of what is remembered. */
interface RecordingUse extends Pick<BatchRecord, 'denoise' | 'trimSilence'> {
  readonly path: string;
  readonly role: EncodedAudio['role'];
}

type LoadedRecord = Pick<LoadedVoice, 'warnings'> & { readonly request: Omit<SynthesisRequest, 'text'> };

/** Loads voices and lexicon of a record. Rejects as `readAudioFile`, `loadVoiceOption` and `readLexicons` do. */
export function createRecordVoice(
  { engine, signal, recognize, quiet, onWarning, voiceDir }: RecordVoiceOptions,
  io: Io,
): (record: BatchRecord) => Promise<LoadedRecord> {
  const { info } = engine;
  const stored = rememberRecent(remembered, (voice) => loadVoiceOption(engine, { voice, voiceDir }, io));
  const encodings = rememberRecent(remembered, async (key): Promise<NonNullable<SynthesisRequest['promptAudio']>> => {
    const { path, role, denoise, trimSilence } = JSON.parse(key) as RecordingUse;
    const read = await readAudioFile(path, { denoise, signal });
    const audio = trimSilence ? trimRecording(read) : read;
    // The engine refuses reference audio for this model.
    if (role === 'reference' && info.architecture !== 'voxcpm2') return audio;
    const warnings = checkPrompt(audio, info, role, denoise ? undefined : 'denoise');
    for (const warning of warnings) onWarning(`${warning} (${path})`);
    return engine.encode(audio, role, { signal });
  });
  const transcripts = rememberRecent(remembered, async (path) => {
    // Lines without transcript are refused without a recognizer.
    if (recognize === undefined) return '';
    const audio = await readAudioFile(path, { signal });
    return transcribe(recognize, { audio, path, flag: 'promptText', quiet }, { ...io, signal });
  });
  const lexicons = rememberRecent(remembered, async (paths) => {
    const { entries, warnings } = await readLexicons({ lexicon: JSON.parse(paths) as string[] }, { signal });
    for (const warning of warnings) onWarning(warning);
    return entries;
  });
  return async (record) => {
    const own = await voiceOf(record);
    const voices: Record<string, VoiceRequest> = {};
    const warnings = [...own.warnings];
    for (const [name, id] of Object.entries(namedVoices(record))) {
      const { request, warnings: more } = await stored(id);
      const { seed: _, ...voice } = request;
      voices[name] = voice;
      warnings.push(...more);
    }
    const lexicon = record.lexicon && (await lexicons(JSON.stringify(record.lexicon)));
    const named = Object.keys(voices).length === 0 ? {} : { voices };
    return { request: { ...own.request, ...named, lexicon }, warnings };
  };

  async function voiceOf(record: BatchRecord): Promise<LoadedVoice> {
    const { voice, promptAudio, promptText, referenceAudio, denoise = false, trimSilence = false } = record;
    if (voice !== undefined) return stored(voice);
    // Ignored recordings are neither read nor encoded.
    const ignored = info.limits.fixedVoice === true ? ignoredAudio({ promptAudio, referenceAudio }) : [];
    if (ignored.length > 0) return { request: {}, warnings: ignored };
    const encoded = async (path: string | undefined, role: EncodedAudio['role']) =>
      path === undefined
        ? undefined
        : encodings(JSON.stringify({ path, role, denoise, trimSilence } satisfies RecordingUse));
    const request = {
      promptAudio: await encoded(promptAudio, 'prompt'),
      promptText: promptText ?? (promptAudio === undefined ? undefined : await transcripts(promptAudio)),
      referenceAudio: await encoded(referenceAudio, 'reference'),
    };
    return { request, warnings: [] };
  }
}
