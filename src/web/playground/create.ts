/** The form that creates a voice from a recording. */
import { clearError, notify, showError } from '../shared/announce.ts';
import { block, button, clearInvalid, element, input, invalidField, markInvalid } from '../shared/dom.ts';
import { readAudio, recordingControl, resetRecording } from '../shared/recording-field.ts';
import { ApiError, type CreatedVoice, createVoice, type NewVoice } from './api.ts';
import { refreshVoices, speakWith } from './voices.ts';

const form = element('create-form', HTMLFormElement);
const name = input('voice-id');
const transcript = element('transcript', HTMLTextAreaElement);
const denoise = input('denoise');
const language = element('voice-language', HTMLSelectElement);
const create = button('create');

/** @throws Error for the first missing field, which gets the focus */
async function readVoice(): Promise<NewVoice> {
  const audio = await readAudio();
  const [id, text] = [name.value.trim(), transcript.value.trim()];
  if (id === '') throw invalidField(name, 'Enter a name for the voice.');
  if (audio === undefined) throw invalidField(recordingControl(), 'Add a recording of the voice.');
  return { id, audio, text, denoise: denoise.checked, language: language.value };
}

/** Only the server knows whether its model needs a transcript. */
async function createOrAsk(voice: NewVoice): Promise<CreatedVoice> {
  try {
    return await createVoice(voice);
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    if (thrown.param === 'text' && voice.text === '')
      throw invalidField(transcript, 'Enter the transcript of the recording.');
    const controls = new Map<string | undefined, HTMLElement>([
      ['id', name],
      ['text', transcript],
      ['audio', recordingControl()],
    ]);
    const refused = controls.get(thrown.param);
    if (refused !== undefined) markInvalid(refused);
    throw thrown;
  }
}

const sentence = (warning: string): string => `${warning.charAt(0).toUpperCase()}${warning.slice(1)}.`;

async function submit(): Promise<void> {
  if (create.getAttribute('aria-disabled') === 'true') return;
  clearError();
  clearInvalid();
  block('created').hidden = true;
  create.setAttribute('aria-disabled', 'true');
  try {
    const voice = await readVoice();
    create.textContent = 'Creating…';
    const { id, warnings } = await createOrAsk(voice);
    form.reset();
    resetRecording();
    await refreshVoices();
    notify(`Voice “${id}” created.`);
    block('created').hidden = false;
    block('created-text').textContent = [`“${id}” is ready.`, ...warnings.map(sentence)].join(' ');
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
form.addEventListener('input', ({ target }) => {
  (target as Element).removeAttribute('aria-invalid');
  // The page is about another voice now.
  block('created').hidden = true;
});
// Browsers restore fields when a page is loaded again.
form.reset();
resetRecording();
