import type { Dialect } from '../dialect.ts';
import { batchOperation } from './batch.ts';
import { speechStream } from './speech-stream.ts';

export const vllmOmni: Dialect = {
  operations: (context, limitUploads) => [batchOperation(context, limitUploads)],
  sockets: (context) => [speechStream(context)],
};
