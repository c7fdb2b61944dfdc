/** The recording of the voice to clone, and its transcript. */
import { decodeWav } from '../../audio/decode/wav.ts';
import { announce } from '../shared/announce.ts';
import { decodeToMono } from '../shared/decode-audio.ts';
import { block, button, element, invalidField } from '../shared/dom.ts';
import { onAudioChange, readAudio, recordingControl, removeAudio } from '../shared/recording-field.ts';
import { forgetPreset } from './presets.ts';
import type { LoadedModel, Recording, SpeakOrder } from './protocol.ts';

const transcript = element('transcript', HTMLTextAreaElement);

let decoded: Omit<Recording, 'role'> | undefined;
let recordings = 0;

/** @returns the fields of an order; none without a recording */
export async function readRecording({
  architecture,
}: LoadedModel): Promise<Pick<SpeakOrder, 'recording' | 'transcript'>> {
  const audio = await readAudio();
  const text = transcript.value.trim();
  if (audio === undefined) {
    if (text !== '')
      throw missing(recordingControl(), 'Add the recording of this transcript, or clear the transcript.');
    return {};
  }
  if (text === '' && architecture === 'voxcpm') throw missing(transcript, 'Enter the transcript of the recording.');
  decoded ??= { number: recordings, ...(await decode(audio)) };
  return text === ''
    ? { recording: { ...decoded, role: 'reference' } }
    : { recording: { ...decoded, role: 'prompt' }, transcript: text };
}

function missing(field: HTMLElement, message: string): Error {
  block('voice').setAttribute('open', '');
  return invalidField(field, message);
}

/** WAV by the engine's own decoder, at the file's sample rate; everything else by the browser's. */
async function decode(recorded: File): Promise<Pick<Recording, 'samples' | 'sampleRate'>> {
  const bytes = await recorded.arrayBuffer();
  const tag = new TextDecoder('latin1').decode(bytes.slice(0, 4));
  if (tag === 'RIFF' || tag === 'RIFX') return decodeWav(new Uint8Array(bytes));
  return decodeToMono(bytes).catch((cause: unknown) => {
    throw new Error(`This browser cannot decode ${recorded.name}. Use a WAV, MP3 or FLAC file.`, { cause });
  });
}

onAudioChange((audio) => {
  if (audio !== undefined) forgetPreset(audio);
  decoded = undefined;
  recordings += 1;
  block('voice-note').textContent = audio?.name ?? 'none';
  button('voice-remove').hidden = audio === undefined;
});
transcript.addEventListener('input', () => transcript.removeAttribute('aria-invalid'));
button('voice-remove').addEventListener('click', () => {
  transcript.value = '';
  forgetPreset();
  removeAudio();
  announce('Recording removed.');
  recordingControl().focus();
});
