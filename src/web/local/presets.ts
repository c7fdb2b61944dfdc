/** The voices that come with svc: each fills in the recording and its transcript, where it can be played and changed. */
import { showError } from '../shared/announce.ts';
import { block, element } from '../shared/dom.ts';
import { offerAudio, removeAudio } from '../shared/recording-field.ts';

type Preset = { readonly name: string; readonly address: string; readonly text: string };

const select = element('preset', HTMLSelectElement);
const transcript = element('transcript', HTMLTextAreaElement);

/** Without a list, such as from a server that offers none, the page takes recordings only. */
export async function listPresets(): Promise<void> {
  const response = await fetch('voices.json').catch(() => undefined);
  if (!response?.ok) return;
  const { voices } = (await response.json()) as { readonly voices: readonly Preset[] };
  for (const { name } of voices) select.append(new Option(name, name));
  block('presets').hidden = voices.length === 0;
  select.addEventListener('change', () => void choose(voices.find(({ name }) => name === select.value)));
}

async function choose(preset: Preset | undefined): Promise<void> {
  transcript.value = '';
  removeAudio();
  if (preset === undefined) return;
  try {
    const response = await fetch(preset.address);
    if (!response.ok) throw new Error(`The voice could not be loaded: ${response.status} ${response.statusText}`);
    const recording = new File([await response.blob()], `${preset.name}.wav`, { type: 'audio/wav' });
    // Another voice was chosen meanwhile.
    if (select.value !== preset.name) return;
    offerAudio(recording);
    transcript.value = preset.text;
  } catch (thrown) {
    select.value = '';
    showError(thrown);
  }
}

/** Any other recording is the user's own, with words of its own. */
export function forgetPreset(recording?: File): void {
  if (select.value === '' || recording?.name === `${select.value}.wav`) return;
  select.value = '';
  transcript.value = '';
}
