/** Commands that an earlier program has begun, in the folder of its state, and this one repeats. */
import { resolve } from 'node:path';

/** Small, and the same for all programs, unlike the demo model. */
export const modelSettings = [
  ...['--model-path', resolve('tests', 'fixtures', 'peer-tiny-v1.gguf')],
  ...['--backend', 'cpu', '--threads', '1'],
];
const short = ['--seed', '5', '--max-length', '6'];
const shortest = ['--seed', '5', '--max-length', '1'];

export const speechSettings = [
  ...['tts', '--text', 'Good morning.', '--voice', 'anna', '--voice-dir', 'voices'],
  ...[...short, ...modelSettings],
];

export const batchLines = [
  '{"id": "a", "text": "Hello.", "seed": 1, "maxLength": 6}\n',
  '{"id": "b", "text": "It was 5 °C.", "seed": 2, "voice": "anna", "maxLength": 6}\n',
  '{"id": "c", "text": "Good night.", "seed": 3, "voice": "anna", "maxLength": 6}\n',
  '{"id": "d", "text": "Good day.", "seed": 4, "maxLength": 6}\n',
];
export const batchSettings = [
  ...['batch', '--input', 'list.jsonl', '--output-dir', 'batch', '--voice-dir', 'voices', ...modelSettings],
];

export const bookSettings = ['tts', '--text-file', 'book.epub', '--output', 'book.m4b', ...shortest, ...modelSettings];
export const textSettings = ['tts', '--text-file', 'text.txt', '--output', 'text.wav', ...shortest, ...modelSettings];
export const pullSettings = ['models', 'pull', 'acme/speech', '--file', 'speech-f16.gguf'];
