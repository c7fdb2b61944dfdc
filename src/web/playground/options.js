/** What the user may set beside text and voice. Only what was changed is sent: the server may have other defaults. */
import { block, button, input } from './dom.js';

/** Those that the page has. */
const sliders = [
  { id: 'cfg', field: 'cfg_value', label: 'guidance' },
  { id: 'timesteps', field: 'inference_timesteps', label: 'timesteps' },
  { id: 'speed', field: 'speed', label: 'speed' },
].filter(({ id }) => document.getElementById(id) !== null);
const seed = input('seed');
const largestSeed = 0xffff_ffff;

/** @param {string} id */
const isChanged = (id) => input(id).value !== input(id).defaultValue;

function show() {
  const changes = sliders.filter(({ id }) => isChanged(id)).map(({ id, label }) => `${label} ${input(id).value}`);
  if (seed.value.trim() !== '') changes.push(`seed ${seed.value.trim()}`);
  for (const { id } of sliders) block(`${id}-value`).textContent = input(id).value;
  block('options-note').textContent = changes.join(', ') || 'defaults';
}

/**
 * The fields of a request. A seed is drawn here where none was given, so that what was heard can be had again.
 *
 * @returns {{ readonly seed: number, readonly cfg_value?: number, readonly inference_timesteps?: number, readonly speed?: number }}
 */
export function readOptions() {
  const entries = sliders.filter(({ id }) => isChanged(id)).map(({ id, field }) => [field, Number(input(id).value)]);
  return { ...Object.fromEntries(entries), seed: readSeed() };
}

function readSeed() {
  const text = seed.value.trim();
  if (text === '') return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number <= largestSeed) return number;
  block('options').setAttribute('open', '');
  seed.setAttribute('aria-invalid', 'true');
  seed.focus();
  throw new Error(`The seed must be a whole number from 0 to ${largestSeed}.`);
}

/** @param {number} value */
export function keepSeed(value) {
  seed.value = String(value);
  show();
}

for (const { id } of sliders) input(id).addEventListener('input', show);
seed.addEventListener('input', () => {
  seed.removeAttribute('aria-invalid');
  show();
});
button('options-reset').addEventListener('click', () => {
  for (const { id } of sliders) input(id).value = input(id).defaultValue;
  seed.value = '';
  show();
});
// Browsers restore fields when a page is loaded again.
show();
