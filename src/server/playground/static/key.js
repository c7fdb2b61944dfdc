/** The API key: asked for when the server wants one, kept in this tab only. */
import { notify } from './announce.js';
import { getKey, setKey } from './api.js';
import { block, button, element, input } from './dom.js';

const dialog = element('key-dialog', HTMLDialogElement);

function show() {
  block('key-label').textContent = getKey() === '' ? 'API key' : 'API key set';
  button('key-forget').hidden = getKey() === '';
}

/** @param {string} reason */
function open(reason) {
  if (dialog.open) return;
  block('key-reason').textContent = reason;
  input('key').value = getKey();
  dialog.showModal();
}

/** @param {string} key @param {string} message */
function change(key, message) {
  setKey(key);
  show();
  notify(message);
  document.dispatchEvent(new Event('keychange'));
}

button('key-open').addEventListener('click', () => open(''));
button('key-cancel').addEventListener('click', () => dialog.close());
button('key-forget').addEventListener('click', () => {
  dialog.close();
  change('', 'The API key is forgotten.');
});
element('key-form', HTMLFormElement).addEventListener('submit', () => {
  const key = input('key').value.trim();
  if (key !== '') change(key, 'The API key is set.');
});
dialog.addEventListener('close', () => {
  input('key').value = '';
});
document.addEventListener('keyneeded', () => {
  open(getKey() === '' ? 'This server asks for a key.' : 'The server refused this key.');
});
show();
