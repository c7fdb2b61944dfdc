import type { Dialect } from '../dialect.ts';
import { speachesVoicesOperation } from './voices.ts';

export const speaches: Dialect = { operations: (context) => [speachesVoicesOperation(context)] };
