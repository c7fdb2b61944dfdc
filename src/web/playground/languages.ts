/** Choices of languages: those that VoxCPM 2 speaks, by their names. */
import { voxcpm2Languages } from '../../engine/text/languages.ts';
import { attempt } from '../../errors.ts';
import { element } from '../shared/dom.ts';

const names = new Intl.DisplayNames('en', { type: 'language' });
const languages = voxcpm2Languages
  .map((tag) => ({ tag, name: nameOf(tag) }))
  .sort((one, other) => one.name.localeCompare(other.name, 'en'));

/** The name of a BCP 47 tag, in English. */
export function nameOf(tag: string): string {
  return attempt(() => names.of(tag)) ?? tag;
}

for (const id of ['language', 'voice-language']) {
  element(id, HTMLSelectElement).append(...languages.map(({ tag, name }) => new Option(name, tag)));
}
