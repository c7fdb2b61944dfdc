import { fastApiErrors } from '../../http/problem.ts';
import type { Dialect } from '../dialect.ts';
import { synthesisOperation } from './speech.ts';
import { synthesisStream } from './stream.ts';

/** `voxcpm2-api` (PyPI). */
export const voxcpm2Api: Dialect = {
  errors: fastApiErrors,
  operations: (context, limitUploads) => [synthesisOperation(context, limitUploads)],
  sockets: (context) => [synthesisStream(context)],
};
