/** The API key: requested when the server requires one, kept for this tab only. */
import { notify } from '../shared/announce.ts';
import { block, button, element, input } from '../shared/dom.ts';
import { getKey, setKey } from './api.ts';

const dialog = element('key-dialog', HTMLDialogElement);
/** Whether the user has entered the key and not yet learned whether it is accepted. */
let isNew = false;

function show(state: 'accepted' | 'unknown'): void {
  block('key-label').textContent = state === 'accepted' && getKey() !== '' ? 'API key set' : 'API key';
  button('key-forget').hidden = getKey() === '';
}

function open(reason: string): void {
  if (dialog.open) return;
  block('key-reason').textContent = reason;
  input('key').value = getKey();
  dialog.showModal();
}

function change(key: string): void {
  setKey(key);
  show('unknown');
  document.dispatchEvent(new Event('keychange'));
}

/** The server has answered, with the key if there is one. */
export function keyAccepted(): void {
  show('accepted');
  if (isNew && getKey() !== '') notify('API key accepted.');
  isNew = false;
}

button('key-open').addEventListener('click', () => open(''));
button('key-cancel').addEventListener('click', () => dialog.close());
button('key-forget').addEventListener('click', () => {
  dialog.close();
  notify('API key removed.');
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
  // A late response to a request with an earlier key.
  if ((event as CustomEvent<string>).detail !== getKey()) return;
  isNew = false;
  open(getKey() === '' ? 'This server requires an API key.' : 'The server rejected this key.');
  // No longer sent; the dialog keeps it, so that a typo can be corrected.
  setKey('');
  show('unknown');
});
show('unknown');
