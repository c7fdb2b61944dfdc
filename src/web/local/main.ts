/** The page that speaks in the browser. Every part wires itself up. */
import './speak.ts';
import { listModels } from './model-card.ts';

void listModels();
