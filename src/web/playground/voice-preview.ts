/** Buttons that play recordings of voices, one at a time. */
import { clearError, showError } from '../shared/announce.ts';
import { voiceRecording } from './api.ts';
import { action } from './list-parts.ts';

const audio = new Audio();
let current: HTMLButtonElement | undefined;

const name = (button: HTMLButtonElement, verb: 'Play' | 'Stop'): void => {
  button.textContent = verb;
  button.setAttribute('aria-label', `${verb} ${button.dataset.voice}`);
};

export function previewButton(id: string): HTMLButtonElement {
  const made = action('Play', `Play ${id}`, () => void (current === made ? stopPreview() : play(made, id)));
  made.dataset.voice = id;
  return made;
}

export function stopPreview(): void {
  audio.pause();
  if (audio.src !== '') URL.revokeObjectURL(audio.src);
  audio.removeAttribute('src');
  if (current) name(current, 'Play');
  current = undefined;
}

async function play(button: HTMLButtonElement, id: string): Promise<void> {
  stopPreview();
  clearError();
  current = button;
  name(button, 'Stop');
  try {
    const recording = await voiceRecording(id);
    if (current !== button) return;
    audio.src = URL.createObjectURL(recording);
    await audio.play();
  } catch (thrown) {
    // Another button was pressed meanwhile.
    if (current !== button) return;
    stopPreview();
    showError(thrown);
  }
}

audio.addEventListener('ended', stopPreview);
