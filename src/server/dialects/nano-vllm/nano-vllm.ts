import type { Dialect } from '../dialect.ts';
import { nanoVllmOperations } from './generate.ts';

/** The server of nano-vLLM. */
export const nanoVllm: Dialect = { operations: nanoVllmOperations };
