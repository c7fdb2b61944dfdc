/** Marks the field of the page that the server refuses. */
import { markInvalid } from '../shared/dom.ts';
import { ApiError } from './api.ts';

/** Ids of the controls by the names of the fields. */
const controls: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  input: 'text',
  model: 'model',
  voice: 'voice',
  input_format: 'input-format',
  seed: 'seed',
  speed: 'speed',
  language: 'language',
  normalize: 'normalize',
  cfg_value: 'cfg',
  inference_timesteps: 'timesteps',
};

/** Only where the user has a control; one in closed options is opened. */
export function markRefused(thrown: unknown): void {
  const id = thrown instanceof ApiError ? controls[thrown.param?.split('.')[0] ?? ''] : undefined;
  const control = id === undefined ? null : document.getElementById(id);
  if (control === null || control.closest('[hidden]') !== null) return;
  control.closest('details')?.setAttribute('open', '');
  markInvalid(control);
}
