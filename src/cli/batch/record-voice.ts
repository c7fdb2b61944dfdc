/** The voices of a batch. Many lines share a few voices, so each is read and encoded once. */
import { checkPrompt } from '../../audio/prompt-check.ts';
import { readAudioFile } from '../../audio/read-audio.ts';
import { trimRecording } from '../../audio/trim-silence.ts';
import type { Engine } from '../../engine/engine.ts';
import { ignoredAudio } from '../../engine/fixed-voice.ts';
import type { Recognize } from '../../engine/recognize.ts';
import type { EncodedAudio, SynthesisRequest } from '../../engine/request.ts';
import type { LoadedVoice } from '../../voices/voice-catalog.ts';
import type { Io } from '../io.ts';
import type { OutputOptions, VoiceOptions } from '../options/options.ts';
import { transcribe } from '../options/recognizer.ts';
import { loadVoiceOption } from '../options/voice-choice.ts';
import { rememberRecent } from './recent.ts';
import type { BatchRecord } from './record.ts';

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

/** Loads the voice of a record. Rejects as `readAudioFile` and `loadVoiceOption` do. */
export function createRecordVoice(
  { engine, signal, recognize, quiet, onWarning, voiceDir }: RecordVoiceOptions,
  io: Io,
): (record: BatchRecord) => Promise<LoadedVoice> {
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
  return async ({ voice, promptAudio, promptText, referenceAudio, trimSilence }) => {
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
  };
}
