/** The models that `svc serve` offers to browsers. */
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findOnnxLayout } from '../../engine/backends/onnx/layout.ts';
import { manifestName, readManifest } from '../../engine/backends/onnx/manifest.ts';
import { folderOf } from '../../engine/backends/onnx/node-platform.ts';
import { demoModelName, demoModelPath } from '../../engine/demo-model.ts';
import { makeFolder } from '../../files/file-system.ts';
import { noteTemporary } from '../../files/temporary-files.ts';
import { quote } from '../../messages.ts';
import { findPackage } from '../../package/package-root.ts';
import type { LocalModel } from '../../server/pages/local-page.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { modelEnvironment } from './model-environment.ts';

type ModelIo = Pick<Io, 'environment' | 'signal'>;

/** The models in the folders, and the demo model. Not the one that is served: its owner may want to keep it. */
export async function localModels(folders: readonly string[], io: ModelIo): Promise<readonly LocalModel[]> {
  const models: LocalModel[] = [];
  for (const folder of folders) {
    const model = await exportedModel(folder);
    if (model === undefined) {
      throw requestError(
        `--local-model ${quote(folder)} has no ${manifestName} with hashes; create it with svc export --format onnx`,
      );
    }
    if (models.some(({ name }) => name === model.name))
      throw requestError(`--local-model is given two models with the name ${quote(model.name)}`);
    models.push(model);
  }
  const demo = { name: demoModelName, folder: once(() => demoFolder(modelEnvironment(io).cacheFolder)) };
  return models.some(({ name }) => name === demo.name) ? models : [...models, demo];
}

async function exportedModel(folder: string): Promise<LocalModel | undefined> {
  if ((await findOnnxLayout(folder)) !== 'exported') return undefined;
  const { name, files } = await readManifest(folderOf(folder));
  return files && { name, folder: async () => resolve(folder) };
}

/** Runs one attempt at a time; after a failure, the next call tries again. */
function once(make: () => Promise<string>): () => Promise<string> {
  let made: Promise<string> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Folder of the demo model as ONNX, exported to the cache on first use (78 MB, one second). */
async function demoFolder(cacheFolder: string): Promise<string> {
  const { version } = findPackage();
  const checkpoint = demoModelPath();
  const { size, mtimeMs } = await stat(checkpoint);
  const parent = join(cacheFolder, 'onnx');
  const folder = join(parent, `demo-${version}-${size}-${Math.round(mtimeMs)}`);
  if (await isModel(folder)) return folder;
  const [{ exportOnnx }, { modelPrecisions }] = await Promise.all([
    import('../../../export/onnx/export-onnx.ts'),
    import('../../../export/onnx/precision.ts'),
  ]);
  await makeFolder(parent);
  const work = await mkdtemp(join(parent, '.demo-'));
  const forget = noteTemporary(work);
  try {
    await exportOnnx({ checkpoint, output: work, types: modelPrecisions.f32 });
    await rename(work, folder).catch(async (error: unknown) => {
      // Another server was faster.
      if (!(await isModel(folder))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
    forget();
  }
  return folder;
}

const isModel = async (folder: string): Promise<boolean> =>
  (await stat(join(folder, manifestName)).catch(() => undefined))?.isFile() === true;
