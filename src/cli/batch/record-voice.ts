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

type LoadedRecord = Pick<LoadedVoice, 'warnings'> & { readonly request: Omit<SynthesisRequest, 'text'> };

/** Loads voices and lexicon of a record. Rejects as `readAudioFile`, `loadVoiceOption` and `readLexicons` do. */
export function createRecordVoice(
  { engine, signal, recognize, quiet, onWarning, voiceDir }: RecordVoiceOptions,
  io: Io,
): (record: BatchRecord) => Promise<LoadedRecord> {
  const { info } = engine;
  const stored = rememberRecent(remembered, (voice) => loadVoiceOption(engine, { voice, voiceDir }, io));
  const recordingsAs = (role: EncodedAudio['role'], edges: 'whole' | 'trimmed') =>
    rememberRecent(remembered, async (path): Promise<NonNullable<SynthesisRequest['promptAudio']>> => {
      const read = await readAudioFile(path, { signal });
      const audio = edges === 'trimmed' ? trimRecording(read) : read;
      // The engine refuses reference audio for this model.
      if (role === 'reference' && info.architecture !== 'voxcpm2') return audio;
      for (const warning of checkPrompt(audio, info, role)) onWarning(`${warning} (${path})`);
      return engine.encode(audio, role, { signal });
    });
  const recordings = {
    whole: { prompt: recordingsAs('prompt', 'whole'), reference: recordingsAs('reference', 'whole') },
    trimmed: { prompt: recordingsAs('prompt', 'trimmed'), reference: recordingsAs('reference', 'trimmed') },
  };
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
    const { voice, promptAudio, promptText, referenceAudio, trimSilence } = record;
    if (voice !== undefined) return stored(voice);
    // Ignored recordings are neither read nor encoded.
    const ignored = info.limits.fixedVoice === true ? ignoredAudio({ promptAudio, referenceAudio }) : [];
    if (ignored.length > 0) return { request: {}, warnings: ignored };
    const { prompt, reference } = recordings[trimSilence ? 'trimmed' : 'whole'];
    const request = {
      promptAudio: promptAudio === undefined ? undefined : await prompt(promptAudio),
      promptText: promptText ?? (promptAudio === undefined ? undefined : await transcripts(promptAudio)),
      referenceAudio: referenceAudio === undefined ? undefined : await reference(referenceAudio),
    };
    return { request, warnings: [] };
  }
}
