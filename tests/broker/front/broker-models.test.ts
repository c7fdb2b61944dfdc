import { expect, it } from '@jest/globals';
import { adaptersOf, createBrokerModels, warnOfAliases, warnOfNames } from '../../../src/broker/front/broker-models.ts';
import type { WatchedModel } from '../../../src/broker/front/watch-models.ts';

interface Fake {
  /** Its workers name the model. */
  readonly isNamed?: boolean;
  readonly absence?: number;
  readonly loras?: readonly string[];
}

function watch(name: string, { isNamed = true, absence = 0, loras = [] }: Fake = {}): WatchedModel {
  return {
    name,
    client: { keys: { modelName: isNamed ? name : '' } },
    registry: {
      absence,
      workers: absence === 0 ? [{}] : [],
      capacity: absence === 0 ? 4 : 0,
      served: { adapters: loras.map((lora) => ({ name: lora, weight: name.length })) },
    },
    source: { info: { limits: {} } },
    queue: {},
    requests: 0,
  } as unknown as WatchedModel;
}

const keepAlive = 1_000;
const unknown = (name: string, known: string) =>
  expect.objectContaining({ code: 'MODEL_NOT_FOUND', message: `unknown model "${name}" (available: ${known})` });

it('any name means the only model, until the broker knows another one', () => {
  const all = [watch('first')];
  const models = createBrokerModels(() => all, { keepAlive });
  expect([models.resolve('tts-1'), models.resolve(undefined)]).toEqual(['first', 'first']);
  all.push(watch('second', { absence: keepAlive + 1 }));
  expect(() => models.resolve('tts-1')).toThrow(unknown('tts-1', 'first'));
  expect(() => models.resolve('second')).toThrow(unknown('second', 'first'));
  expect(models.list().map(({ name }) => name)).toEqual(['first']);
});

it('a model without workers is offered for a while; the last one, and the default, for ever', () => {
  const all = [watch('first', { absence: keepAlive + 2 }), watch('second', { absence: keepAlive })];
  const states = (defaultModel?: string) =>
    createBrokerModels(() => all, { keepAlive, defaultModel })
      .list()
      .map(({ name, state, capacity }) => `${name} ${state} ${capacity}`);
  expect(states()).toEqual(['second unloaded 0']);
  expect(states('first')).toEqual(['first unloaded 0', 'second unloaded 0']);
  all[1] = watch('second', { absence: keepAlive + 3 });
  expect(states()).toEqual(['first unloaded 0']);
});

it('an alias counts while its model is there', () => {
  const all = [watch('first')];
  const aliases = new Map(Object.entries({ 'tts-1': 'second', first: 'second' }));
  const warnings: unknown[] = [];
  const logger = { warn: (fields: unknown) => void warnings.push(fields) };
  const models = createBrokerModels(() => all, { aliases, keepAlive });
  warnOfAliases(all, { aliases, logger });
  warnOfNames(all[0] as WatchedModel, all, { aliases, logger });
  expect(warnings).toEqual([
    { alias: 'tts-1', model: 'second' },
    { alias: 'first', model: 'second' },
    { model: 'first' },
  ]);
  expect(models.find('tts-1')).toBeUndefined();
  all.push(watch('second'));
  expect(['tts-1', 'first', 'second'].map(models.resolve)).toEqual(['second', 'first', 'second']);
  expect(models.list()[1]?.aliases).toEqual(['tts-1']);
});

it('--model-name leaves the default model, under this name only', async () => {
  const all = [watch('first'), watch('second')];
  const models = createBrokerModels(() => all, { modelName: 'mine', defaultModel: 'second', keepAlive });
  expect(models.list().map(({ name }) => name)).toEqual(['mine']);
  expect(() => models.resolve('second')).toThrow(unknown('second', 'mine'));
  const lease = await models.lease('mine', { wait: () => Promise.reject(new Error('nothing to wait for')) });
  expect([lease.engine === all[1]?.source, all[1]?.requests]).toEqual([true, 1]);
  lease.release();
  expect(all[1]?.requests).toBe(0);
});

it('a model that its workers name takes the place of an unnamed one of the same name', async () => {
  const all = [watch('demo', { isNamed: false }), watch('demo')];
  const models = createBrokerModels(() => all, { keepAlive });
  expect(models.list()).toHaveLength(1);
  const { engine } = await models.lease('demo', { wait: () => Promise.reject(new Error('nothing to wait for')) });
  expect(engine).toBe(all[1]?.source);
});

it('lists each adapter once', () => {
  const all = [watch('one', { loras: ['anna', 'ben'] }), watch('second', { loras: ['ben', 'eve'] })];
  const listed = adaptersOf(() => all).list();
  expect(listed.map(({ name, weight }) => `${name} ${weight}`)).toEqual(['anna 3', 'ben 3', 'eve 6']);
});
