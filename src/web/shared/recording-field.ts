/** The field for a recording: an audio file, or the microphone. */
import { describeQuality, measureRecording, qualityWarnings } from '../../audio/analyze/recording-quality.ts';
import { announce, clearError, showError } from './announce.ts';
import { decodeToMono } from './decode-audio.ts';
import { block, button, clock, element, input } from './dom.ts';
import { type MicrophoneRecording, startRecording } from './recorder.ts';

/** Seconds after which a recording stops by itself. */
const longest = 60;

const file = input('file');
const drop = block('drop');
const record = button('record');
const preview = element('preview', HTMLAudioElement);
const level = element('level', HTMLMeterElement);
const sources = [...document.querySelectorAll<HTMLInputElement>('[name="source"]')];

let audio: File | undefined;
let microphone: MicrophoneRecording | undefined;
let isChanging = false;
let changed: (audio: File | undefined) => void = () => undefined;

const source = (): string => sources.find(({ checked }) => checked)?.value ?? 'upload';

/** The control to be used when the recording is missing. */
export const recordingControl = (): HTMLElement => (source() === 'upload' ? file : record);

/** The recording, if there is one; stops the microphone first. */
export async function readAudio(): Promise<File | undefined> {
  if (microphone) await toggleRecording();
  return audio;
}

/** Takes a recording as if it had been chosen as a file. */
export function offerAudio(chosen: File): void {
  for (const choice of sources) choice.checked = choice.value === 'upload';
  showSource();
  setAudio(chosen);
}

/** Calls `listener` with every new recording, and with `undefined` when it is removed. */
export function onAudioChange(listener: typeof changed): void {
  changed = listener;
}

export function removeAudio(): void {
  file.value = '';
  setAudio(undefined);
}

function setAudio(next: File | undefined): void {
  if (preview.src !== '') URL.revokeObjectURL(preview.src);
  audio = next;
  preview.hidden = next === undefined;
  if (next) preview.src = URL.createObjectURL(next);
  else preview.removeAttribute('src');
  block('drop-text').textContent = next && source() === 'upload' ? next.name : 'Choose an audio file, or drop one here';
  for (const control of [file, record]) control.removeAttribute('aria-invalid');
  void showQuality(next);
  changed(next);
}

/** Shows nothing for files that the browser can't read but the server may. */
async function showQuality(recording: File | undefined): Promise<void> {
  const line = block('audio-quality');
  line.hidden = true;
  const sound = recording && (await decodeToMono(await recording.arrayBuffer()).catch(() => undefined));
  if (sound === undefined || recording !== audio) return;
  const quality = measureRecording(sound);
  line.textContent = [
    describeQuality(quality),
    ...qualityWarnings(quality).map((what) => `the recording ${what}`),
  ].join('. ');
  line.hidden = false;
  announce(line.textContent);
}

function showSource(): void {
  block('upload').hidden = source() !== 'upload';
  block('recorder').hidden = source() !== 'record';
  removeAudio();
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

async function endRecording(ended: MicrophoneRecording): Promise<void> {
  microphone = undefined;
  level.value = 0;
  setAudio(await ended.stop());
  announce(`Recorded ${block('record-time').textContent}.`);
}

/** As the page was loaded. */
export function resetRecording(): void {
  for (const choice of sources) choice.checked = choice.defaultChecked;
  showSource();
}

for (const choice of sources) choice.addEventListener('change', showSource);
record.addEventListener('click', () => void toggleRecording());
file.addEventListener('change', () => setAudio(file.files?.[0]));
for (const type of ['dragover', 'dragleave', 'drop']) {
  drop.addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.toggle('over', type === 'dragover');
  });
}
drop.addEventListener('drop', ({ dataTransfer }) => setAudio(dataTransfer?.files[0]));
// A browser that restores the form would show a choice without its file.
resetRecording();
