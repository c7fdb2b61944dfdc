/** The API key: asked for when the server wants one, kept in this tab only. */
import { notify } from './announce.js';
import { getKey, setKey } from './api.js';
import { block, button, element, input } from './dom.js';

const dialog = element('key-dialog', HTMLDialogElement);
/** Whether the key was entered a moment ago and the user has not heard of it since. */
let isNew = false;

/** @param {boolean} accepted by the server; before that nobody knows whether the key is of any use */
function show(accepted) {
  block('key-label').textContent = accepted && getKey() !== '' ? 'API key set' : 'API key';
  button('key-forget').hidden = getKey() === '';
}

/** @param {string} reason */
function open(reason) {
  if (dialog.open) return;
  block('key-reason').textContent = reason;
  input('key').value = getKey();
  dialog.showModal();
}

/** @param {string} key */
function change(key) {
  setKey(key);
  show(false);
  document.dispatchEvent(new Event('keychange'));
}

/** The server has answered, with the key if there is one. */
export function keyAccepted() {
  show(true);
  if (isNew && getKey() !== '') notify('The server accepted the API key.');
  isNew = false;
}

button('key-open').addEventListener('click', () => open(''));
button('key-cancel').addEventListener('click', () => dialog.close());
button('key-forget').addEventListener('click', () => {
  dialog.close();
  notify('The API key is forgotten.');
  change('');
});
element('key-form', HTMLFormElement).addEventListener('submit', () => {
  const key = input('key').value.trim();
  if (key === '') return;
  isNew = true;
  change(key);
});
dialog.addEventListener('close', () => {
  input('key').value = '';
});
document.addEventListener('keyneeded', (event) => {
  // A late answer to an earlier key.
  if (/** @type {CustomEvent<string>} */ (event).detail !== getKey()) return;
  isNew = false;
  open(getKey() === '' ? 'This server asks for a key.' : 'The server refused this key.');
  // Of no use any more; the dialog still has it, for a slip to be put right.
  setKey('');
  show(false);
});
show(false);
