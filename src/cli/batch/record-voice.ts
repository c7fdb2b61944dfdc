/** The voices of a batch: many lines share a few, so each is read and encoded once. */
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

/** Half a minute of speech is some 100 KB when it is encoded. */
const remembered = 64;

export interface RecordVoiceOptions extends Pick<VoiceOptions, 'voiceDir'> {
  readonly engine: Engine;
  readonly signal: AbortSignal;
  /** Told once for each recording and each thing that makes it a poor one. */
  readonly onWarning: (warning: string) => void;
}

/** From what a record says about its voice to what the engine takes. Rejects as `readAudioFile` and `loadVoice`. */
export function createRecordVoice(
  { engine, signal, onWarning, voiceDir }: RecordVoiceOptions,
  io: Io,
): (record: BatchRecord) => Promise<LoadedVoice> {
  const { info } = engine;
  const stored = rememberRecent(remembered, (voice) => loadVoiceOption(engine, { voice, voiceDir }, io));
  const recordingsAs = (role: EncodedAudio['role']) =>
    rememberRecent(remembered, async (path): Promise<NonNullable<SynthesisRequest['promptAudio']>> => {
      const audio = await readAudioFile(path, { signal });
      // The engine says that the model takes none at all.
      if (role === 'reference' && info.architecture !== 'voxcpm2') return audio;
      for (const warning of checkPrompt(audio, info, role)) onWarning(`${warning} (${path})`);
      return engine.encode(audio, role, { signal });
    });
  const prompts = recordingsAs('prompt');
  const references = recordingsAs('reference');
  return async ({ voice, promptAudio, promptText, referenceAudio }) => {
    if (voice !== undefined) return stored(voice);
    // Neither read nor encoded.
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
