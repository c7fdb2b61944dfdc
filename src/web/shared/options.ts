/** Generation options beside text and voice. Only changed ones are sent: the server may have other defaults. */
import { block, button, element, input, invalidField } from './dom.ts';

/** The page in the browser has no speed. */
const sliders = [
  { id: 'cfg', field: 'cfg_value', label: 'guidance' },
  { id: 'timesteps', field: 'inference_timesteps', label: 'steps' },
  { id: 'speed', field: 'speed', label: 'speed' },
].filter(({ id }) => document.getElementById(id) !== null);
/** Only where the server reads the text. */
const choices = [
  { id: 'language', field: 'language', label: 'language' },
  { id: 'normalize', field: 'normalize', label: 'numbers' },
].filter(({ id }) => document.getElementById(id) !== null);
const choice = (id: string): HTMLSelectElement => element(id, HTMLSelectElement);
const seed = input('seed');
const largestSeed = 0xffff_ffff;

export interface GenerationOptions {
  /** Drawn here when none was entered, so that the same audio can be generated again. */
  readonly seed: number;
  readonly cfg_value?: number;
  readonly inference_timesteps?: number;
  readonly speed?: number;
  /** A BCP 47 tag. */
  readonly language?: string;
  readonly normalize?: boolean;
}

const isChanged = (id: string): boolean => input(id).value !== input(id).defaultValue;

function show(): void {
  const changes = sliders.filter(({ id }) => isChanged(id)).map(({ id, label }) => `${label} ${input(id).value}`);
  for (const { id, label } of choices) {
    const [chosen] = choice(id).selectedOptions;
    if (chosen && chosen.value !== '')
      changes.push(`${label}: ${id === 'language' ? chosen.text : chosen.text.toLowerCase()}`);
  }
  if (seed.value.trim() !== '') changes.push(`seed ${seed.value.trim()}`);
  for (const { id } of sliders) block(`${id}-value`).textContent = input(id).value;
  block('options-note').textContent = changes.join(', ') || 'defaults';
}

/** @throws Error for a seed out of range */
export const readOptions = (): GenerationOptions => ({ ...readChanges(), seed: readSeed() });

/** All but the seed. */
export function readChanges(): Omit<GenerationOptions, 'seed'> {
  const entries = sliders.filter(({ id }) => isChanged(id)).map(({ id, field }) => [field, Number(input(id).value)]);
  const chosen = choices
    .filter(({ id }) => choice(id).value !== '')
    .map(({ id, field }) => [field, fieldValue(choice(id).value)]);
  return Object.fromEntries([...entries, ...chosen]);
}

const fieldValue = (chosen: string): string | boolean => (/^(?:true|false)$/.test(chosen) ? chosen === 'true' : chosen);

function readSeed(): number {
  const text = seed.value.trim();
  if (text === '') return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number <= largestSeed) return number;
  block('options').setAttribute('open', '');
  throw invalidField(seed, `The seed must be a whole number from 0 to ${largestSeed}.`);
}

export function setSeed(value: number): void {
  seed.value = String(value);
  show();
}

for (const { id } of sliders) input(id).addEventListener('input', show);
for (const { id } of choices) choice(id).addEventListener('change', show);
seed.addEventListener('input', () => {
  seed.removeAttribute('aria-invalid');
  show();
});
button('options-reset').addEventListener('click', () => {
  for (const { id } of sliders) input(id).value = input(id).defaultValue;
  for (const { id } of choices) choice(id).value = '';
  seed.value = '';
  show();
});
// Browsers restore fields when a page is loaded again.
show();
