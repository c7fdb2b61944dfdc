/** The choice of the model, where the server has several. */
import { block, element } from '../shared/dom.ts';
import type { ServerInfo } from './api.ts';

const select = element('model', HTMLSelectElement);

/** Empty where there is nothing to choose. */
export const selectedModel = (): string => select.value;

/** As `svc serve` calls the model that comes with it. */
const demoModel = 'demo';

export function offerModels({ model, models = [] }: ServerInfo): void {
  const chosen = select.value;
  const offered = models.length > 1 ? models : [];
  select.replaceChildren(...offered.map((name) => new Option(name, name)));
  if (offered.includes(chosen)) select.value = chosen;
  block('model-field').hidden = offered.length === 0;
  const name = (): string => selectedModel() || model;
  const showDemo = (): void => {
    block('demo-note').hidden = name() !== demoModel;
  };
  select.onchange = showDemo;
  showDemo();
}
