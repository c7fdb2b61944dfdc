import type { ErrorStyle } from '../../http/problem.ts';
import { listPaths, sendVoices } from '../../routes/voices.ts';
import type { Dialect, Variant } from '../dialect.ts';
import { accountOperations } from './account.ts';
import { modelsVariant } from './models.ts';
import { speechOperations } from './routes.ts';
import { elevenlabsSockets } from './sockets.ts';
import { voiceOperations } from './voices.ts';

export const errors: ErrorStyle = {
  keyHeader: 'xi-api-key',
  busyStatus: 429,
  fieldsStatus: 422,
  detail: (status, message) => ({ status, message }),
};

export const elevenlabs: Dialect = {
  errors,
  operations: (context) => [...accountOperations(context), ...speechOperations(context), ...voiceOperations(context)],
  sockets: elevenlabsSockets,
  variants: (context) => [
    modelsVariant(context, '/v1/models'),
    modelsVariant(context, '/v1/audio/models'),
    // With the model's own voice, without which its clients could find nothing to choose.
    ...listPaths.map(
      (path): Variant => ({
        method: 'get',
        path,
        description: 'A request with the header `xi-api-key` also gets `default`, the voice of the model itself.',
        answerWith: (_request, response) => sendVoices(context, response, path, 'with own'),
      }),
    ),
  ],
};
