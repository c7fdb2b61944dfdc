/** The choice of the model, where the server has several. */
import { block, element } from '../shared/dom.ts';
import type { ServerInfo } from './api.ts';

const select = element('model', HTMLSelectElement);

/** Empty where there is nothing to choose. */
export const selectedModel = (): string => select.value;

export function offerModels({ models = [] }: ServerInfo): void {
  const chosen = select.value;
  const offered = models.length > 1 ? models : [];
  select.replaceChildren(...offered.map((name) => new Option(name, name)));
  if (offered.includes(chosen)) select.value = chosen;
  block('model-field').hidden = offered.length === 0;
}
