/** Options of commands that run until they are interrupted. */
import type { Option } from 'commander';
import type { Range } from '../../validation.ts';
import { nameOption, rangeOption } from './option-values.ts';

export type LogOptions = { readonly logLevel: string; readonly logFormat?: 'json' | 'text' };

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
const drainSeconds: Range = { kind: 'integer', minimum: 0, maximum: 3600, default: 30 };

export const logOptions = (level: 'info' | 'warn' = 'info'): readonly Option[] => [
  nameOption('--log-level', logLevels, 'log level; logs go to standard error').default(level),
  nameOption('--log-format', ['json', 'text'], 'log format', 'text on a terminal, otherwise json'),
];

export const processOptions = (): readonly Option[] => [
  rangeOption('--drain-seconds', drainSeconds, 'seconds to let running requests finish on shutdown'),
  ...logOptions(),
];
