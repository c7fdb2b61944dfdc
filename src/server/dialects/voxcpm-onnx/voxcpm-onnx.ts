import { fastApiErrors } from '../../http/problem.ts';
import type { Dialect } from '../dialect.ts';
import { featureOperation } from './features.ts';
import { ttsOperations } from './tts.ts';

export const voxcpmOnnx: Dialect = {
  errors: fastApiErrors,
  operations: (context, limitUploads) => [
    ...ttsOperations(context, limitUploads),
    featureOperation(context, limitUploads),
  ],
};
