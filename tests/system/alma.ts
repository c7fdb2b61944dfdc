import { readFile } from 'node:fs/promises';
import { formOf } from '../server/start-server.ts';

/** The form that adds the recording of a preset voice under a name. */
export const almaAs = async (id: string): Promise<FormData> =>
  formOf({
    id,
    text: await readFile('models/voices/alma.txt', 'utf8'),
    audio: await readFile('models/voices/alma.wav'),
  });
