/** The model: choice, device, loading, and cached files. */
import { toSvcError } from '../../errors.ts';
import { announce, clearError, notify, showError } from '../shared/announce.ts';
import { block, button, element, input, invalidField } from '../shared/dom.ts';
import { createEngineClient } from './engine-client.ts';
import { openFileStore } from './file-store.ts';
import type { LoadedModel, LoadOrder, Report } from './protocol.ts';

/** One entry of `models.json` beside the page. */
interface OfferedModel {
  readonly name: string;
  /** Relative to the page, with a slash at the end. */
  readonly address: string;
  readonly bytes?: number;
}

interface Offer {
  readonly models: readonly OfferedModel[];
  /** URL of the server's playground. */
  readonly playground?: string;
}

const model = element('model', HTMLSelectElement);
const device = element('device', HTMLSelectElement);
const address = input('address');
const load = button('load');
const progress = element('progress', HTMLProgressElement);
const store = openFileStore();
const other = 'other';

export const engine = createEngineClient(() => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }));

let loaded: { readonly order: string; readonly model: LoadedModel } | undefined;
let loading = false;

/** Lists the models of `models.json` beside the page, and the one that the page's URL names in `?model=`. */
export async function listModels(): Promise<void> {
  const requested = new URLSearchParams(location.search).get('model');
  const offer = await readOffer();
  for (const { name, address: at, bytes } of offer.models) {
    model.append(new Option(bytes === undefined ? name : `${name} (${megabytes(bytes)})`, at));
  }
  model.append(new Option('Other…', other));
  if (requested !== null) {
    address.value = requested;
    model.value = other;
  }
  if (offer.playground !== undefined) {
    const link = element('playground', HTMLAnchorElement);
    link.href = offer.playground;
    link.hidden = false;
  }
  showChoice();
  await showCached();
  showModel();
}

function readOffer(): Promise<Offer> {
  const none: Offer = { models: [] };
  const read = (response: Response): Offer | Promise<Offer> => (response.ok ? response.json() : none);
  return fetch('models.json', { cache: 'no-cache' })
    .then(read)
    .catch(() => none);
}

function chosen(): Omit<LoadOrder, 'kind'> {
  const at = model.value === other ? address.value.trim() : model.value;
  if (at === '') throw invalidField(address, 'Enter the URL of a model.');
  const url = new URL(at.endsWith('/') ? at : `${at}/`, location.href);
  if (url.origin !== location.origin) throw new Error('The model must be on the same site as this page.');
  return { address: url.href, device: device.value as LoadOrder['device'] };
}

/** Loads the chosen model unless it is loaded already. */
export async function loadModel(signal: AbortSignal): Promise<LoadedModel> {
  const order = chosen();
  const key = JSON.stringify(order);
  if (loaded?.order === key) return loaded.model;
  loaded = undefined;
  loading = true;
  showModel();
  announce('Loading the model.');
  try {
    loaded = { order: key, model: await engine.load(order, showReceived, signal) };
    announce(`${loaded.model.name} is loaded on ${loaded.model.device}.`);
    return loaded.model;
  } finally {
    loading = false;
    showModel();
    await showCached();
  }
}

/** To be called after an error of the worker, which may have lost the model. */
export function forgetModel(): void {
  loaded = undefined;
  showModel();
}

function showReceived(report: Report): void {
  if (report.kind === 'warning') notify(`Note: ${report.message}.`);
  if (report.kind !== 'received') return;
  const { done, total, from } = report;
  progress.max = total;
  progress.value = done;
  const doing = done === total ? 'Starting' : from === 'network' ? 'Downloading' : 'Loading from the cache';
  block('progress-text').textContent = `${doing}: ${megabytes(done)} of ${megabytes(total)}`;
}

function showModel(): void {
  block('receiving').hidden = !loading;
  if (!loading) {
    progress.removeAttribute('value');
    block('progress-text').textContent = '';
  }
  const isCurrent = loaded !== undefined;
  block('server').dataset.state = loading ? 'loading' : isCurrent ? 'ready' : 'none';
  block('server-text').textContent = loading
    ? 'Loading…'
    : loaded === undefined
      ? 'No model loaded'
      : `${loaded.model.name} on ${loaded.model.device}`;
  load.setAttribute('aria-disabled', String(loading || isCurrent));
  load.textContent = isCurrent ? 'Model loaded' : 'Load model';
}

async function showCached(): Promise<void> {
  const size = await store?.size().catch(() => 0);
  const note = block('cached');
  button('clear').hidden = !size;
  if (size === undefined) note.textContent = 'Models are cached over HTTPS and on localhost only.';
  else note.textContent = size > 0 ? `${megabytes(size)} cached in this browser` : 'Cached in this browser once loaded';
}

function showChoice(): void {
  block('other').hidden = model.value !== other;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

for (const choice of [model, device, address]) {
  choice.addEventListener('change', () => {
    address.removeAttribute('aria-invalid');
    showChoice();
    if (!loading) forgetModel();
  });
}
button('clear').addEventListener('click', async () => {
  clearError();
  try {
    await store?.clear();
    notify('Cached models deleted.');
    load.focus();
  } catch (thrown) {
    showError(toSvcError(thrown));
  }
  await showCached();
});
