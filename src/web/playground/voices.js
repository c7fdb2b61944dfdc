/** The voices that the server keeps: the list, and the choice in the form that speaks. */
import { clearError, notify, showError } from './announce.js';
import { deleteVoice, listVoices } from './api.js';
import { block, button, element } from './dom.js';
import { openTab } from './tabs.js';

const select = element('voice', HTMLSelectElement);
const list = block('voices');
const dialog = element('delete-dialog', HTMLDialogElement);

/** Empty for the model's own voice. */
export const selectedVoice = () => select.value;

/** @param {string} id */
export function speakWith(id) {
  select.value = id;
  openTab('speak');
  element('text', HTMLTextAreaElement).focus();
}

export async function refreshVoices() {
  const voices = await listVoices();
  const chosen = select.value;
  select.replaceChildren(/** @type {Node} */ (select.options[0]), ...voices.map(({ id }) => new Option(id, id)));
  select.value = voices.some(({ id }) => id === chosen) ? chosen : '';
  list.replaceChildren(...voices.map(item));
  block('no-voices').hidden = voices.length > 0;
  block('voice-count').textContent = String(voices.length);
  block('voice-count').hidden = voices.length === 0;
}

/** @param {import('./api.js').Voice} voice */
function item(voice) {
  const row = document.createElement('li');
  const about = document.createElement('div');
  about.append(text('h3', voice.id), text('p', voice.prompt_text ?? 'Timbre only'), text('p', details(voice), 'note'));
  const actions = document.createElement('div');
  actions.className = 'actions';
  actions.append(action('Use', `Use ${voice.id}`, () => speakWith(voice.id)));
  if (!voice.preset) {
    const remove = action('Delete', `Delete ${voice.id}`, () => void confirmDelete(voice.id));
    remove.className = 'danger quiet';
    actions.append(remove);
  }
  row.append(about, actions);
  return row;
}

/** @param {import('./api.js').Voice} voice */
function details({ duration_seconds: seconds, sample_rate: rate, created_at: created, preset }) {
  const made = new Date(created).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return [`${seconds.toFixed(1)} s`, `${rate / 1000} kHz`, preset ? 'comes with the server' : made].join(' · ');
}

/** @param {string} tag @param {string} content @param {string} [className] */
function text(tag, content, className = '') {
  const made = document.createElement(tag);
  made.textContent = content;
  made.dir = 'auto';
  made.className = className;
  return made;
}

/** @param {string} label @param {string} name @param {() => void} act */
function action(label, name, act) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = label;
  made.setAttribute('aria-label', name);
  made.addEventListener('click', act);
  return made;
}

/** @param {string} id */
async function confirmDelete(id) {
  block('delete-text').textContent = `“${id}” and its recording will be gone for good.`;
  dialog.returnValue = 'keep';
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  if (dialog.returnValue !== 'delete') return;
  clearError();
  try {
    await deleteVoice(id);
    notify(`${id} is deleted.`);
    // The button that had the focus is gone with its row.
    block('tab-voices').focus();
  } catch (thrown) {
    showError(thrown);
  }
  await refreshVoices().catch(showError);
}

button('refresh').addEventListener('click', () => {
  clearError();
  refreshVoices().then(() => notify('The list is up to date.'), showError);
});
button('first-voice').addEventListener('click', () => {
  openTab('create');
  block('voice-id').focus();
});
