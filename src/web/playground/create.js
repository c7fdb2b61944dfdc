/** The form that makes a voice of a recording: a file, or from the microphone. */
import { announce, clearError, notify, showError } from './announce.js';
import { createVoice } from './api.js';
import { block, button, clock, element, input } from './dom.js';
import { startRecording } from './recorder.js';
import { refreshVoices, speakWith } from './voices.js';

const form = element('create-form', HTMLFormElement);
const name = input('voice-id');
const transcript = element('transcript', HTMLTextAreaElement);
const file = input('file');
const drop = block('drop');
const record = button('record');
const create = button('create');
const preview = element('preview', HTMLAudioElement);
const level = element('level', HTMLMeterElement);

/** Seconds after which a recording ends by itself. */
const longest = 60;

/** @type {File | undefined} */
let audio;
/** @type {import('./recorder.js').Recording | undefined} */
let recording;
let recordingChanges = false;

/** @param {File | undefined} next */
function setAudio(next) {
  if (preview.src !== '') URL.revokeObjectURL(preview.src);
  audio = next;
  preview.hidden = next === undefined;
  if (next) preview.src = URL.createObjectURL(next);
  else preview.removeAttribute('src');
  block('drop-text').textContent = next && source() === 'upload' ? next.name : 'Choose an audio file, or drop one here';
}

const source = () => new FormData(form).get('source');

function showSource() {
  block('upload').hidden = source() !== 'upload';
  block('recorder').hidden = source() !== 'record';
  file.value = '';
  setAudio(undefined);
}

async function toggleRecording() {
  if (recordingChanges) return;
  recordingChanges = true;
  clearError();
  try {
    await (recording ? endRecording(recording) : beginRecording());
  } catch (thrown) {
    showError(thrown);
  } finally {
    recordingChanges = false;
    record.textContent = recording ? 'Stop recording' : 'Start recording';
    record.classList.toggle('recording', recording !== undefined);
  }
}

async function beginRecording() {
  setAudio(undefined);
  recording = await startRecording();
  announce('Recording.');
  const begun = performance.now();
  const tick = () => {
    if (!recording) return;
    const seconds = (performance.now() - begun) / 1000;
    block('record-time').textContent = clock(seconds);
    level.value = Math.min(1, recording.level());
    if (seconds >= longest) void toggleRecording();
    else requestAnimationFrame(tick);
  };
  tick();
}

/** @param {import('./recorder.js').Recording} ended */
async function endRecording(ended) {
  recording = undefined;
  level.value = 0;
  setAudio(await ended.stop());
  announce(`Recorded ${block('record-time').textContent}.`);
}

/** The first thing that is missing, in words, and where. */
function missing() {
  if (name.value.trim() === '') return { field: name, message: 'Give the voice a name.' };
  if (!audio) return { field: source() === 'upload' ? file : record, message: 'A voice needs a recording.' };
  if (transcript.value.trim() === '')
    return { field: transcript, message: 'Write down what is said in the recording.' };
  return undefined;
}

async function submit() {
  if (create.getAttribute('aria-disabled') === 'true') return;
  clearError();
  block('created').hidden = true;
  if (recording) await toggleRecording();
  const problem = missing();
  if (problem || !audio) {
    problem?.field.setAttribute('aria-invalid', 'true');
    problem?.field.focus();
    showError(problem?.message);
    return;
  }
  create.setAttribute('aria-disabled', 'true');
  create.textContent = 'Creating…';
  try {
    const { id } = await createVoice({ id: name.value.trim(), audio, text: transcript.value.trim() });
    form.reset();
    showSource();
    await refreshVoices();
    notify(`The voice ${id} is created.`);
    block('created').hidden = false;
    block('created-text').textContent = `“${id}” is ready.`;
    button('created-use').onclick = () => speakWith(id);
    button('created-use').focus();
  } catch (thrown) {
    showError(thrown);
  } finally {
    create.removeAttribute('aria-disabled');
    create.textContent = 'Create voice';
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});
form.addEventListener('input', ({ target }) => /** @type {Element} */ (target).removeAttribute('aria-invalid'));
for (const choice of form.querySelectorAll('[name="source"]')) choice.addEventListener('change', showSource);
record.addEventListener('click', toggleRecording);
file.addEventListener('change', () => setAudio(file.files?.[0]));
for (const type of ['dragover', 'dragleave', 'drop']) {
  drop.addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.toggle('over', type === 'dragover');
  });
}
drop.addEventListener('drop', ({ dataTransfer }) => setAudio(dataTransfer?.files[0]));
// A browser that restores the form would show a choice without its file.
form.reset();
showSource();
