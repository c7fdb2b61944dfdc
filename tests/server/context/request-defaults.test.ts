import { expect, it } from '@jest/globals';
import {
  checkRequestDefaults,
  defaultsOfModel,
  parseRequestDefault,
  type RequestDefaults,
  withRequestDefaults,
} from '../../../src/server/context/request-defaults.ts';

const parsed = (...texts: readonly string[]): RequestDefaults =>
  texts.reduce<RequestDefaults | undefined>(
    (others, text) => parseRequestDefault(text, '--default', others),
    undefined,
  ) as RequestDefaults;

const ofAll = ['normalize=on', 'speed=1.1', 'input_format=markdown', 'lora_weight=0.5'];
const defaults = parsed(...ofAll, 'demo:normalize=off', 'demo:seed=7', 'voice/iris:speed=1.5');
const nowhere = { models: ['other'], voices: [''] };

it.each([
  ['normalize=auto', { normalize: 'auto' }],
  ['NORMALIZE=on', undefined],
  ['normalize=1', { normalize: true }],
  ['retry-badcase=off', { retry_badcase: false }],
  ['cfg_value=2.5', { cfg_value: 2.5 }],
  ['instructions=calm, and = slow', { instructions: 'calm, and = slow' }],
  ['input_format=Markdown', { input_format: 'markdown' }],
  ['speed=0.25', { speed: 0.25 }],
])('defaults of %s', (text, expected) => {
  if (expected === undefined) expect(() => parsed(text)).toThrow('--default names the unknown field "NORMALIZE"');
  else expect(parsed(text).all).toEqual(expected);
});

it.each([
  ['normalize', ' must be FIELD=VALUE such as normalize=on, got "normalize"'],
  ['normalise=on', ' names the unknown field "normalise"; did you mean "normalize"? (fields: instructions, '],
  ['normalize=maybe', ': normalize must be true, false or auto, got "maybe"'],
  ['speed=5', ': speed must be a number from 0.25 to 4, got 5'],
  ['seed=x', ': seed must be an integer from 0 to 4294967295, got "x"'],
  ['input_format=html', ': input_format must be one of auto, plain, markdown, ssml, script, turns, got "html"'],
  ['demo:speed=', ': speed must be a number'],
])('defaults refuse %s', (text, message) => expect(() => parsed(text)).toThrow(`--default${message}`));

it('defaults complete a body, the voice before the model before all', () => {
  const all = { normalize: true, speed: 1.1, input_format: 'markdown' };
  expect(withRequestDefaults({ input: 'a' }, defaults, nowhere)).toEqual({ input: 'a', ...all });
  const places = { models: ['demo', ''], voices: ['iris', 'x'] };
  expect(withRequestDefaults({}, defaults, places)).toEqual({ ...all, normalize: false, seed: 7, speed: 1.5 });
});

it('defaults give way to what a body states', () => {
  const body = { normalize: false, speed: null, input_format: 'plain', lora: 'anna' };
  expect(withRequestDefaults(body, defaults, nowhere)).toEqual({ ...body, speed: 1.1, lora_weight: 0.5 });
});

it('defaults leave the format to a script with voices, and to a live text that can have it', () => {
  expect(withRequestDefaults({ voices: { Anna: 'anna' } }, defaults, nowhere)).not.toHaveProperty('input_format');
  expect(withRequestDefaults({ voices: '' }, defaults, nowhere, 'form')).toHaveProperty('input_format', 'markdown');
  const ssml = parsed('input_format=ssml');
  expect(withRequestDefaults({}, ssml, nowhere, 'live')).toEqual({});
  expect(withRequestDefaults({}, ssml, nowhere)).toEqual({ input_format: 'ssml' });
});

it('defaults have the names of forms in forms', () => {
  const given = parsed('min_length=3', 'instructions=calm');
  expect(withRequestDefaults({}, given, nowhere, 'form')).toEqual({ min_len: 3 });
});

it('defaults are shown with a model', () => {
  expect(defaultsOfModel(defaults, ['demo'])).toMatchObject({ normalize: false, seed: 7, speed: 1.1 });
});

it('defaults fit the models and each other', () => {
  expect(() => checkRequestDefaults(defaults, '--default', ['demo', 'other'])).not.toThrow();
  expect(() => checkRequestDefaults(defaults, '--default', ['other'])).toThrow(
    '--default names the unknown model "demo"',
  );
  const lengths = parsed('max_length=10', 'voice/iris:min_length=20');
  expect(() => checkRequestDefaults(lengths, '--default', [])).toThrow(
    '--default: min_length (20) must not exceed max_length (10)',
  );
});
