/** The server's voices: the list, and the choice in the speech form. */
import { clearError, notify, showError } from '../shared/announce.ts';
import { block, button, element } from '../shared/dom.ts';
import { deleteVoice, listVoices, type Voice } from './api.ts';
import { action, item, line } from './list-parts.ts';
import { openTab } from './tabs.ts';
import { previewButton, stopPreview } from './voice-preview.ts';

const select = element('voice', HTMLSelectElement);
const list = block('voices');
const dialog = element('delete-dialog', HTMLDialogElement);

/** Empty for the model's own voice. */
export const selectedVoice = (): string => select.value;

/** Names in the last list of the server. */
export const voiceNames = (): readonly string[] =>
  [...select.options].map(({ value }) => value).filter((value) => value !== '');

export function speakWith(id: string): void {
  select.value = id;
  openTab('speak');
  element('text', HTMLTextAreaElement).focus();
}

export async function refreshVoices(): Promise<void> {
  const voices = await listVoices();
  const chosen = select.value;
  select.replaceChildren(select.options[0] ?? '', ...voices.map(({ id }) => new Option(id, id)));
  select.value = voices.some(({ id }) => id === chosen) ? chosen : '';
  stopPreview();
  list.replaceChildren(...voices.map(itemOf));
  document.dispatchEvent(new Event('voiceschange'));
  block('no-voices').hidden = voices.length > 0;
  block('voice-count').textContent = String(voices.length);
  block('voice-count').hidden = voices.length === 0;
}

function itemOf(voice: Voice): HTMLElement {
  const { id, prompt_text: transcript, has_recording: isRecorded, preset, alias_of: target } = voice;
  const known = transcript ?? (isRecorded ? 'No transcript: the timbre only' : 'The model’s own voice');
  const isOwn = !preset && target === null;
  return item(
    [line('h3', id), line('p', known), line('p', details(voice), 'note')],
    [
      ...(isRecorded ? [previewButton(id)] : []),
      action('Use', `Use ${id}`, () => speakWith(id)),
      ...(isOwn ? [action('Delete', `Delete ${id}`, () => void confirmDelete(id), 'danger quiet')] : []),
    ],
  );
}

function details(voice: Voice): string {
  const { duration_seconds: seconds, sample_rate: rate, created_at: created, preset, alias_of: target } = voice;
  if (target !== null) return `another name of ${target}`;
  const made = new Date(created).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return [`${seconds.toFixed(1)} s`, `${rate / 1000} kHz`, preset ? 'built in' : made].join(' · ');
}

async function confirmDelete(id: string): Promise<void> {
  block('delete-text').textContent = `“${id}” and its recording will be deleted permanently.`;
  dialog.returnValue = 'keep';
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  if (dialog.returnValue !== 'delete') return;
  clearError();
  try {
    await deleteVoice(id);
    notify(`Voice “${id}” deleted.`);
    // The button that had the focus is gone with its row.
    block('tab-voices').focus();
  } catch (thrown) {
    showError(thrown);
  }
  await refreshVoices().catch(showError);
}

button('refresh').addEventListener('click', () => {
  clearError();
  refreshVoices().then(() => notify('Voices refreshed.'), showError);
});
button('first-voice').addEventListener('click', () => {
  openTab('create');
  block('voice-id').focus();
});
