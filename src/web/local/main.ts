/** Speech in the browser. Each module wires up its own part of the page. */
import './speak.ts';
import { listModels } from './model-card.ts';
import { listPresets } from './presets.ts';

void listModels();
void listPresets();
