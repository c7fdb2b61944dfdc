/** Models with fake backends behind real files, for each test of a file. */
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach } from '@jest/globals';
import { pino } from 'pino';
import type { ModelLimits } from '../../src/engine/backend.ts';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import { createModelNames } from '../../src/model-pool/model-names.ts';
import { createModelPool, type ModelPool, type ModelPoolOptions } from '../../src/model-pool/model-pool.ts';
import { createFakeBackend, type FakeBackend, type FakeOptions } from '../engine/fake-backend.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { freshFolder } from '../support/test-folder.ts';

interface OpenOptions extends Partial<Omit<ModelPoolOptions, 'models' | 'names'>> {
  readonly names?: readonly string[];
  readonly aliases?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, ModelLimits>>;
}

export interface FakeModels {
  /** Names of their files, such as `a.gguf`. */
  readonly folder: Pick<TemporaryFolder, 'path' | 'join'>;
  /** Names in the order of loading, and of closing. */
  readonly opened: readonly string[];
  readonly closed: readonly string[];
  /** Backends of the models that were opened. */
  readonly backends: readonly FakeBackend[];
  /** Called during each load. */
  whileOpening(name: string): Promise<void>;
  /** Opens a pool of all of them, which is closed after the test. */
  open(options?: OpenOptions): Promise<ModelPool>;
}

/** Call it after what uses the models, which is closed first. */
export function fakeModels(files: readonly string[], backendOf: (name: string) => FakeOptions): FakeModels {
  const pools: ModelPool[] = [];
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));
  const folder = freshFolder();
  const fresh = () => ({ opened: [], closed: [], backends: [], whileOpening: async () => undefined });
  beforeEach(async () => {
    Object.assign(models, fresh());
    for (const name of files) await writeFile(folder.join(`${name}.gguf`), name);
  });
  const models = {
    ...(fresh() as {
      opened: string[];
      closed: string[];
      backends: FakeBackend[];
      whileOpening: FakeModels['whileOpening'];
    }),
    folder,
    async open({ names = files, aliases = {}, limits = {}, ...options }: OpenOptions = {}) {
      const pool = await createModelPool({
        models: names.map((name) => ({
          name,
          path: folder.join(`${name}.gguf`),
          limits: limits[name],
          open: () => load(name),
        })),
        names: createModelNames({ names, aliases: new Map(Object.entries(aliases)), match: 'exact' }),
        keepAlive: 60_000,
        logger: pino({ level: 'silent' }),
        ...options,
      });
      pools.push(pool);
      return pool;
    },
  };
  async function load(name: string) {
    models.opened.push(name);
    await models.whileOpening(name);
    const { info, ...options } = backendOf(name);
    const backend = createFakeBackend({ ...options, info: { name, ...info } });
    models.backends.push(backend);
    const engine = createEngineFromBackend(backend, { maxBatch: 4 });
    return {
      ...engine,
      async close() {
        models.closed.push(name);
        await engine.close();
      },
    };
  }
  return models;
}
