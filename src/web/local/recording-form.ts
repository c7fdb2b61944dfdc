/** The recording whose voice is to be spoken in: a file, or from the microphone; and what is said in it. */
import { decodeWav } from '../../audio/wav.ts';
import { announce, clearError, showError } from '../playground/announce.js';
import { block, button, clock, element, input } from '../playground/dom.js';
import { startRecording } from '../playground/recorder.js';
import type { LoadedModel, Recording, SpeakOrder } from './protocol.ts';

type Microphone = Awaited<ReturnType<typeof startRecording>>;

/** Seconds after which a recording ends by itself. */
const longest = 60;
/** At least that of every model; what files have that are not WAV is for the browser to know. */
const decodeRate = 48_000;

const file = input('file');
const drop = block('drop');
const record = button('record');
const transcript = element('transcript', HTMLTextAreaElement);
const preview = element('preview', HTMLAudioElement);
const level = element('level', HTMLMeterElement);
const sources = [...document.querySelectorAll<HTMLInputElement>('[name="source"]')];

let audio: File | undefined;
let decoded: Omit<Recording, 'role'> | undefined;
let recordings = 0;
let microphone: Microphone | undefined;
let isChanging = false;

/** The fields of an order: none without a recording. */
export async function readRecording({
  architecture,
  fixedVoice,
}: LoadedModel): Promise<Pick<SpeakOrder, 'recording' | 'transcript'>> {
  if (microphone) await toggleRecording();
  const text = transcript.value.trim();
  if (audio === undefined) {
    if (text !== '') throw missing(sourceName() === 'upload' ? file : record, 'The transcript needs its recording.');
    return {};
  }
  if (text === '' && architecture === 'voxcpm' && !fixedVoice) {
    throw missing(transcript, 'Write down what is said in the recording.');
  }
  decoded ??= { number: recordings, ...(await decode(audio)) };
  return text === ''
    ? { recording: { ...decoded, role: 'reference' } }
    : { recording: { ...decoded, role: 'prompt' }, transcript: text };
}

function missing(field: HTMLElement, message: string): Error {
  block('voice').setAttribute('open', '');
  field.setAttribute('aria-invalid', 'true');
  field.focus();
  return new Error(message);
}

/** WAV by the engine's own decoder, at the rate that the file has; everything else by the browser's. */
async function decode(recorded: File): Promise<Pick<Recording, 'samples' | 'sampleRate'>> {
  const bytes = await recorded.arrayBuffer();
  const tag = new TextDecoder('latin1').decode(bytes.slice(0, 4));
  if (tag === 'RIFF' || tag === 'RIFX') return decodeWav(new Uint8Array(bytes));
  const context = new OfflineAudioContext(1, 1, decodeRate);
  const buffer = await context.decodeAudioData(bytes).catch((cause: unknown) => {
    throw new Error(`This browser can’t decode ${recorded.name}.`, { cause });
  });
  const samples = new Float32Array(buffer.length);
  for (let channel = 0; channel < buffer.numberOfChannels; channel += 1) {
    for (const [at, sample] of buffer.getChannelData(channel).entries()) {
      samples[at] = (samples[at] ?? 0) + sample / buffer.numberOfChannels;
    }
  }
  return { samples, sampleRate: buffer.sampleRate };
}

function setAudio(next: File | undefined): void {
  if (preview.src !== '') URL.revokeObjectURL(preview.src);
  audio = next;
  decoded = undefined;
  recordings += 1;
  preview.hidden = next === undefined;
  if (next) preview.src = URL.createObjectURL(next);
  else preview.removeAttribute('src');
  block('drop-text').textContent =
    next && sourceName() === 'upload' ? next.name : 'Choose an audio file, or drop one here';
  block('voice-note').textContent = next ? next.name : 'none';
  button('voice-remove').hidden = next === undefined;
  file.removeAttribute('aria-invalid');
}

const sourceName = (): string => sources.find(({ checked }) => checked)?.value ?? 'upload';

function showSource(): void {
  block('upload').hidden = sourceName() !== 'upload';
  block('recorder').hidden = sourceName() !== 'record';
  file.value = '';
  setAudio(undefined);
}

async function toggleRecording(): Promise<void> {
  if (isChanging) return;
  isChanging = true;
  clearError();
  try {
    await (microphone ? endRecording(microphone) : beginRecording());
  } catch (thrown) {
    showError(thrown);
  } finally {
    isChanging = false;
    record.textContent = microphone ? 'Stop recording' : 'Start recording';
    record.classList.toggle('recording', microphone !== undefined);
  }
}

async function beginRecording(): Promise<void> {
  setAudio(undefined);
  microphone = await startRecording();
  announce('Recording.');
  const begun = performance.now();
  const tick = (): void => {
    if (!microphone) return;
    const seconds = (performance.now() - begun) / 1000;
    block('record-time').textContent = clock(seconds);
    level.value = Math.min(1, microphone.level());
    if (seconds >= longest) void toggleRecording();
    else requestAnimationFrame(tick);
  };
  tick();
}

async function endRecording(ended: Microphone): Promise<void> {
  microphone = undefined;
  level.value = 0;
  setAudio(await ended.stop());
  announce(`Recorded ${block('record-time').textContent}.`);
}

for (const choice of sources) choice.addEventListener('change', showSource);
record.addEventListener('click', () => void toggleRecording());
file.addEventListener('change', () => setAudio(file.files?.[0]));
transcript.addEventListener('input', () => transcript.removeAttribute('aria-invalid'));
for (const type of ['dragover', 'dragleave', 'drop']) {
  drop.addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.toggle('over', type === 'dragover');
  });
}
drop.addEventListener('drop', ({ dataTransfer }) => setAudio(dataTransfer?.files[0]));
button('voice-remove').addEventListener('click', () => {
  file.value = '';
  transcript.value = '';
  setAudio(undefined);
  announce('The recording is removed.');
  (sourceName() === 'upload' ? file : record).focus();
});
// A browser that restores the form would show a choice without its file.
for (const choice of sources) choice.checked = choice.defaultChecked;
showSource();
