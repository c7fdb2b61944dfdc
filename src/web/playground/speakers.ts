/** The speakers of a dialogue, lines such as `Anna: Hello.`, each with a voice. */
import { block, element } from '../shared/dom.ts';
import { readFormat } from '../shared/text-format.ts';
import { voiceNames } from './voices.ts';

const text = element('text', HTMLTextAreaElement);
const list = block('speaker-list');

/** As many as a page can show; a request may have more. */
const mostSpeakers = 16;

/** A name at the beginning of a line, in front of a colon. */
const speaker = /^[ \t]*(\p{L}[\p{L}\p{N} ._-]{0,30}?)[ \t]*[:：]/gmu;

/** Each once, whatever the case of letters. */
export function speakersIn(script: string): readonly string[] {
  const names = new Map<string, string>();
  for (const [, name = ''] of script.matchAll(speaker)) {
    if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  }
  return [...names.values()].slice(0, mostSpeakers);
}

const selects = (): readonly HTMLSelectElement[] => [...list.querySelectorAll('select')];

/** Voices by the names of the speakers; undefined for a text that is no dialogue. */
export function readSpeakers(): Readonly<Record<string, string>> | undefined {
  if (block('speakers').hidden) return undefined;
  return Object.fromEntries(selects().map(({ name, value }) => [name, value]));
}

function show(): void {
  const names = readFormat() === 'script' ? speakersIn(text.value) : [];
  const voices = ['default', ...voiceNames()];
  const chosen = new Map(selects().map(({ name, value }) => [name, value]));
  block('speakers').hidden = names.length === 0;
  const key = JSON.stringify([names, voices]);
  // A field that the user is in must not be replaced.
  if (list.dataset.shown === key) return;
  list.dataset.shown = key;
  list.replaceChildren(
    ...names.map((name, index) => {
      const field = document.createElement('div');
      field.className = 'field';
      const select = document.createElement('select');
      select.id = `speaker-${index}`;
      select.name = name;
      select.append(...voices.map((voice) => new Option(voice === 'default' ? 'Default voice' : voice, voice)));
      const alike = voices.find((voice) => voice.toLowerCase() === name.toLowerCase());
      const before = chosen.get(name);
      select.value =
        before !== undefined && voices.includes(before) ? before : (alike ?? voices[index + 1] ?? 'default');
      const label = document.createElement('label');
      label.htmlFor = select.id;
      label.textContent = name;
      label.dir = 'auto';
      field.append(label, select);
      return field;
    }),
  );
}

text.addEventListener('input', show);
block('input-format').addEventListener('change', show);
document.addEventListener('voiceschange', show);
show();
