/** Errors, notices and warnings, for sighted users and screen readers alike: errors at once, the rest politely. */
import { block, button, isAbort } from './dom.ts';

const alert = block('alert');
const close = button('alert-close');
const status = block('status');
/** Milliseconds that a notice stays visible. */
const noticeTime = 6000;
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Errors stay until the next action or until they are dismissed. */
export function showError(thrown: unknown): void {
  if (isAbort(thrown)) return;
  alert.textContent = thrown instanceof Error ? thrown.message : String(thrown);
  close.hidden = false;
}

export function clearError(): void {
  alert.textContent = '';
  close.hidden = true;
}

/** For screen readers only: the page shows the same elsewhere. */
export function announce(message: string): void {
  clearTimeout(hiding);
  status.classList.remove('notice');
  status.textContent = message;
}

/** For everyone. */
export function notify(message: string): void {
  announce(message);
  status.classList.add('notice');
  hiding = setTimeout(() => status.classList.remove('notice'), noticeTime);
}

/** Shows beside the audio how it differs from the request. */
export function showWarnings(warnings: readonly string[]): void {
  const shown = block('warnings');
  shown.textContent = warnings.map((warning) => `Note: ${warning}.`).join(' ');
  shown.hidden = warnings.length === 0;
}

/** Adds a warning to those that are shown: one that is known late, such as at the end of the speech. */
export function addWarning(warning: string): void {
  const shown = block('warnings');
  shown.textContent = `${shown.textContent} Note: ${warning}.`.trim();
  shown.hidden = false;
}

// A field that is corrected may be right now.
block('main').addEventListener('input', clearError);
close.addEventListener('click', () => {
  clearError();
  block('main').focus();
});
