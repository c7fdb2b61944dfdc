import type { Dialect } from '../dialect.ts';
import { batchOperation } from './batch.ts';
import { speechStream } from './speech-stream.ts';

export const vllmOmni: Dialect = {
  operations: (context) => [batchOperation(context)],
  sockets: (context) => [speechStream(context)],
};
