/** Checks that requests went through the steps before, for programs in JavaScript. */
import { show } from '../messages.ts';
import { invalid } from '../validation.ts';

/** @throws SvcError INVALID_REQUEST for a request whose text was not read, or options that are no object */
export function assertParsed(request: unknown, options: unknown): void {
  const { text, inputFormat } = Object(request) as Readonly<Record<string, unknown>>;
  const isRead = typeof text === 'string' && typeof inputFormat === 'string' && hasPassages(request);
  if (!isRead) throw invalid('a request whose text was read', 'the request to accept', show(request));
  assertOptions(options, 'accept');
}

/** @throws SvcError INVALID_REQUEST for a request that was not accepted, or options that are no object */
export function assertAccepted(speech: unknown, options: unknown): void {
  const { seed, warnings, text } = Object(speech) as Readonly<Record<string, unknown>>;
  const isLive = typeof text === 'object' && text !== null;
  const isAccepted = typeof seed === 'number' && Array.isArray(warnings) && (isLive || hasPassages(speech));
  if (!isAccepted) throw invalid('an accepted request', 'the request to speak', show(speech));
  assertOptions(options, 'speak');
}

const hasPassages = (request: unknown): boolean => Array.isArray((Object(request) as { passages?: unknown }).passages);

function assertOptions(options: unknown, method: string): void {
  if (typeof options !== 'object' || options === null)
    throw invalid('an object', `the options of ${method}`, show(options));
}
