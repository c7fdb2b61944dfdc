/** What the page says to people who see it and to those who hear it: errors aloud at once, the rest when it suits. */
import { block, button, isAbort } from './dom.js';

const alert = block('alert');
const close = button('alert-close');
const status = block('status');
/** Milliseconds that a notice is to be seen. */
const noticeTime = 6000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding;

/** Errors stay until the next action or until they are dismissed. @param {unknown} thrown */
export function showError(thrown) {
  if (isAbort(thrown)) return;
  alert.textContent = thrown instanceof Error ? thrown.message : String(thrown);
  close.hidden = false;
}

export function clearError() {
  alert.textContent = '';
  close.hidden = true;
}

/** For screen readers only; what it says is to be seen elsewhere. @param {string} message */
export function announce(message) {
  clearTimeout(hiding);
  status.classList.remove('notice');
  status.textContent = message;
}

/** For everyone. @param {string} message */
export function notify(message) {
  announce(message);
  status.classList.add('notice');
  hiding = setTimeout(() => status.classList.remove('notice'), noticeTime);
}

/** What is not as it was asked for, beside the audio that it is about; nothing takes it away. @param {readonly string[]} warnings */
export function showWarnings(warnings) {
  const shown = block('warnings');
  shown.textContent = warnings.map((warning) => `Note: ${warning}.`).join(' ');
  shown.hidden = warnings.length === 0;
}

close.addEventListener('click', () => {
  clearError();
  block('main').focus();
});
