/** How long a model stays loaded after its last request, as Ollama writes it. */
import { z } from 'zod';
import { show } from '../messages.ts';
import { invalid } from '../validation.ts';

const expected = 'a duration such as 10m or 1h30m, seconds, 0 to unload at once, or -1 to stay loaded';

const milliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds; any negative value is Infinity. Undefined if it is none. */
export function readKeepAlive(value: string | number): number | undefined {
  const seconds = typeof value === 'string' && /^[+-]?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof seconds === 'number') {
    if (Number.isNaN(seconds)) return undefined;
    return seconds < 0 ? Number.POSITIVE_INFINITY : seconds * 1000;
  }
  const [, sign, parts = ''] = /^([+-]?)((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)$/.exec(seconds) ?? [];
  if (sign === undefined) return undefined;
  if (sign === '-') return Number.POSITIVE_INFINITY;
  return [...parts.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (milliseconds[unit] ?? 0),
    0,
  );
}

/** @throws SvcError INVALID_REQUEST */
export function parseKeepAlive(text: string, field: string): number {
  const value = readKeepAlive(text.trim());
  if (value !== undefined) return value;
  throw invalid(expected, field, show(text));
}

export const keepAliveField = z
  .union([z.string(), z.number()], { error: expected })
  .refine((value) => readKeepAlive(value) !== undefined, { error: expected });
