/** The voices of a batch. Many lines share a few voices, so each is read and encoded once. */
import { checkPrompt } from '../../audio/prompt-check.ts';
import { readAudioFile } from '../../audio/read-audio.ts';
import type { Engine } from '../../engine/engine.ts';
import { ignoredAudio } from '../../engine/fixed-voice.ts';
import type { EncodedAudio, SynthesisRequest } from '../../engine/request.ts';
import type { LoadedVoice } from '../../voices/voice-catalog.ts';
import type { Io } from '../io.ts';
import type { VoiceOptions } from '../options/options.ts';
import { loadVoiceOption } from '../options/voice-choice.ts';
import { rememberRecent } from './recent.ts';
import type { BatchRecord } from './record.ts';

/** Half a minute of encoded speech takes about 100 KB. */
const remembered = 64;

export interface RecordVoiceOptions extends Pick<VoiceOptions, 'voiceDir'> {
  readonly engine: Engine;
  readonly signal: AbortSignal;
  /** Called once per recording and problem. */
  readonly onWarning: (warning: string) => void;
}

/** Loads the voice of a record. Rejects as `readAudioFile` and `loadVoiceOption` do. */
export function createRecordVoice(
  { engine, signal, onWarning, voiceDir }: RecordVoiceOptions,
  io: Io,
): (record: BatchRecord) => Promise<LoadedVoice> {
  const { info } = engine;
  const stored = rememberRecent(remembered, (voice) => loadVoiceOption(engine, { voice, voiceDir }, io));
  const recordingsAs = (role: EncodedAudio['role']) =>
    rememberRecent(remembered, async (path): Promise<NonNullable<SynthesisRequest['promptAudio']>> => {
      const audio = await readAudioFile(path, { signal });
      // The engine refuses reference audio for this model.
      if (role === 'reference' && info.architecture !== 'voxcpm2') return audio;
      for (const warning of checkPrompt(audio, info, role)) onWarning(`${warning} (${path})`);
      return engine.encode(audio, role, { signal });
    });
  const prompts = recordingsAs('prompt');
  const references = recordingsAs('reference');
  return async ({ voice, promptAudio, promptText, referenceAudio }) => {
    if (voice !== undefined) return stored(voice);
    // Ignored recordings are neither read nor encoded.
    const ignored = info.limits.fixedVoice === true ? ignoredAudio({ promptAudio, referenceAudio }) : [];
    if (ignored.length > 0) return { request: {}, warnings: ignored };
    const request = {
      promptAudio: promptAudio === undefined ? undefined : await prompts(promptAudio),
      promptText,
      referenceAudio: referenceAudio === undefined ? undefined : await references(referenceAudio),
    };
    return { request, warnings: [] };
  };
}
