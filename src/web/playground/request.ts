/** Request that the form describes. */
import { readChanges, readOptions } from '../shared/options.ts';
import { readText } from '../shared/speech-form.ts';
import { readFormat } from '../shared/text-format.ts';
import { loadServer, type SpeechRequest } from './api.ts';
import { selectedModel } from './models.ts';
import { readSpeakers } from './speakers.ts';
import { selectedVoice } from './voices.ts';

/** @throws Error for a field that is wrong */
export async function readRequest(): Promise<SpeechRequest> {
  // Before the text is sent anywhere.
  readText();
  const { seed } = readOptions();
  return { ...(await readTextRequest()), seed };
}

/** All but the seed. @throws Error without a text */
export async function readTextRequest(): Promise<Omit<SpeechRequest, 'seed'>> {
  const input = readText();
  const changes = readChanges();
  const { model: only } = await loadServer();
  const model = selectedModel() || only;
  const voice = selectedVoice();
  const format = readFormat();
  const voices = readSpeakers();
  return {
    model,
    input,
    ...(voice !== '' && { voice }),
    ...(format && { input_format: format }),
    ...(voices && { voices }),
    ...changes,
  };
}
