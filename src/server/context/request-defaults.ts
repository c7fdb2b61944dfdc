/**
 * Defaults of the server for the fields of a request, as `svc serve --default normalize=on` sets them: for all requests, or for
 * those of a model or a voice. What a request states itself always takes precedence.
 */
import { z } from 'zod';
import { liveFormats } from '../../engine/live/live-request.ts';
import { checkLengths, fieldsFrom } from '../../engine/request.ts';
import { type FieldName, ranges, requestFields, schemaOf } from '../../engine/request-fields.ts';
import { SvcError } from '../../errors.ts';
import { didYouMean, show } from '../../messages.ts';
import { numberIn, parse, readTruth, requestError } from '../../validation.ts';
import { bodyNames, formNames } from '../schemas/speech.ts';

/** Values by the names of their fields in JSON bodies. */
type Values = Readonly<Record<string, unknown>>;

export interface RequestDefaults {
  readonly all: Values;
  readonly models: ReadonlyMap<string, Values>;
  readonly voices: ReadonlyMap<string, Values>;
}

export const noDefaults: RequestDefaults = { all: {}, models: new Map(), voices: new Map() };

const byBodyName = new Map(Object.entries(bodyNames).map(([field, name]) => [name as string, field as FieldName]));
const names: readonly string[] = [...byBodyName.keys(), 'speed'];
const schemaFor = (name: string): z.ZodType =>
  name === 'speed' ? numberIn(ranges.speed) : schemaOf(byBodyName.get(name) as FieldName);

const switches = new Map([
  ['on', true],
  ['off', false],
]);

/** A value as JSON has it; unchanged if it is none of its field, for the message. */
function jsonValueOf(name: string, written: string): unknown {
  const field = byBodyName.get(name);
  const kind = field === undefined ? 'number' : requestFields[field].kind;
  if (kind === 'boolean') return switches.get(written.toLowerCase()) ?? readTruth(written) ?? written.toLowerCase();
  if (kind === 'choice') return written.toLowerCase();
  if (kind === 'text') return written;
  return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(written) ? Number(written) : written;
}

/**
 * Reads `normalize=on`, `demo:normalize=on` or `voice/iris:speed=1.1`.
 *
 * @param flag names the value in messages
 * @param others those that were given before; a later one of the same field takes precedence
 * @throws SvcError INVALID_REQUEST
 */
export function parseRequestDefault(text: string, flag: string, others: RequestDefaults = noDefaults): RequestDefaults {
  const [, scope, name = '', written] = /^(?:([^=]{1,300}):)?([^=:]{1,60})=(.{0,4096})$/s.exec(text) ?? [];
  if (written === undefined) throw requestError(`${flag} must be FIELD=VALUE such as normalize=on, got ${show(text)}`);
  const field = name.trim().replaceAll('-', '_');
  if (!names.includes(field)) {
    const problem = `${flag} names the unknown field ${show(name.trim())}${didYouMean(field, names)}`;
    throw requestError(`${problem} (fields: ${names.join(', ')})`);
  }
  const schema = z.object({ [field]: schemaFor(field) });
  const value = atFlag(flag, () => parse(schema, { [field]: jsonValueOf(field, written.trim()) }));
  return withValues(others, scope?.trim() ?? '', value);
}

function withValues(defaults: RequestDefaults, scope: string, value: Values): RequestDefaults {
  if (scope === '') return { ...defaults, all: { ...defaults.all, ...value } };
  const [kind, name] = scope.startsWith('voice/')
    ? (['voices', scope.slice(6)] as const)
    : (['models', scope] as const);
  return { ...defaults, [kind]: new Map(defaults[kind]).set(name, { ...defaults[kind].get(name), ...value }) };
}

/** Checks that the defaults fit each other. @param models undefined if any name is accepted @throws SvcError INVALID_REQUEST */
export function checkRequestDefaults(
  defaults: RequestDefaults,
  flag: string,
  models: readonly string[] | undefined,
): void {
  for (const model of defaults.models.keys()) {
    if (models === undefined || models.includes(model)) continue;
    const problem = `${flag} names the unknown model ${show(model)}${didYouMean(model, models)}`;
    throw requestError(`${problem} (available: ${models.join(', ')})`);
  }
  for (const own of [{}, ...defaults.models.values(), ...defaults.voices.values()]) {
    atFlag(flag, () => checkLengths(fieldsFrom({ ...defaults.all, ...own }, bodyNames), bodyNames));
  }
}

interface RequestScope {
  /** Names by which the request may mean its model and its voice. */
  readonly models: readonly string[];
  readonly voices: readonly string[];
}

const valuesIn = ({ all, models, voices }: RequestDefaults, scope: RequestScope): Values => ({
  ...all,
  ...Object.assign({}, ...scope.models.map((name) => models.get(name))),
  ...Object.assign({}, ...scope.voices.map((name) => voices.get(name))),
});

export const defaultsOfModel = (defaults: RequestDefaults, models: readonly string[]): Values =>
  valuesIn(defaults, { models, voices: [] });

/** A body with the defaults that it doesn't state, if they fit a script with voices, or a text that is being written. */
export function withRequestDefaults<Body extends object>(
  body: Body,
  defaults: RequestDefaults,
  scope: RequestScope,
  kind: 'json' | 'live' | 'form' = 'json',
): Body {
  const given = body as Values;
  const own: Readonly<Record<string, string>> =
    kind === 'form' ? { ...formNames, speed: 'speed' } : { ...bodyNames, speed: 'speed' };
  const added = Object.entries(valuesIn(defaults, scope)).flatMap(([name, value]) => {
    const key = own[byBodyName.get(name) ?? name];
    if (key === undefined || (given[key] !== undefined && given[key] !== null)) return [];
    if (name === 'input_format' && (hasVoices(given.voices) || (kind === 'live' && !isLive(value)))) return [];
    return [[key, value] as const];
  });
  const whole: Values = { ...given, ...Object.fromEntries(added) };
  const { lora_weight: weight, ...rest } = whole;
  const isUnused = weight !== undefined && given.lora_weight === undefined && !whole.lora && !whole.lora_name;
  return (isUnused ? rest : whole) as Body;
}

const hasVoices = (voices: unknown): boolean =>
  typeof voices === 'string'
    ? voices.trim() !== ''
    : typeof voices === 'object' && voices !== null && Object.keys(voices).length > 0;

const isLive = (format: unknown): boolean => liveFormats.some((live) => live === format);

function atFlag<Result>(flag: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof SvcError ? new SvcError(error.code, `${flag}: ${error.message}`, { cause: error }) : error;
  }
}
