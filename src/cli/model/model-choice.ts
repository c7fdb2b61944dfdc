/** Resolves options and environment variables to engine options: model, device, threads. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { converter } from '../../../export/converter.ts';
import { findOnnxLayout } from '../../engine/backends/onnx/layout.ts';
import { isCheckpointFolder } from '../../engine/checkpoint-folder.ts';
import type { EngineOptions } from '../../engine/engine-options.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import type { ModelRequest, ResolveEvent } from '../../hub/resolve.ts';
import { parseModelName } from '../../hub/source.ts';
import { shellWord } from '../../package/shell-word.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import type { ModelOptions, NamedModelOptions } from '../options/model-options.ts';
import { isModelFolder } from '../options/named-model.ts';
import type { OutputOptions } from '../options/output-options.ts';
import { printNote } from '../output/messages.ts';
import { createProgress } from '../output/progress.ts';
import { formatBytes, formatShare } from '../output/units.ts';
import { deviceOf, modelOfFolder, threadsOf } from './engine-environment.ts';
import { hubOf, modelEnvironment } from './model-environment.ts';

type NamedModel = NamedModelOptions & Pick<OutputOptions, 'quiet'>;

/** Engine options. A named model is downloaded and converted unless it is in the cache. @throws SvcError */
export async function chooseEngine(
  choice: ModelOptions & NamedModel,
  io: Io,
): Promise<Omit<EngineOptions, 'maxBatch'>> {
  const backend = choice.backend ?? deviceOf(io);
  const threads = choice.threads ?? threadsOf(io);
  const { device, ditType } = choice;
  return { backend, device, threads, ditType, modelPath: await chooseModel(choice, io) };
}

/** Path of the model of the options, else of `SVC_MODELS_DIR`; undefined for the demo model. @throws SvcError */
export async function chooseModel(choice: ModelOptions & NamedModel, io: Io): Promise<string | undefined> {
  const { modelPath, model, type, file, hub } = choice;
  if (model !== undefined && !isModelFolder(model)) return pullModel(model, choice, io);
  if (file !== undefined) throw requestError('--file needs --model with the name of a model');
  if (hub !== undefined) throw requestError('--hub needs --model with the name of a model');
  const path = model ?? modelPath ?? (await modelOfFolder(io));
  if (path !== undefined && (await isCheckpointFolder(path))) return convertFolder(path, choice, io);
  if (type !== undefined) throw requestError('--type needs --model with the name of a model, or a checkpoint folder');
  return path;
}

/** Converts the checkpoint of a folder into the cache, unless its files are those of an earlier conversion. */
async function convertFolder(folder: string, named: NamedModel, io: Io): Promise<string> {
  const { cacheFolder } = modelEnvironment(io);
  using shown = showEvents(`checkpoint ${folder}`, cacheFolder, named, io);
  const { resolveCheckpointFolder } = await import('../../hub/checkpoint-folder.ts');
  const { onEvent } = shown;
  return await resolveCheckpointFolder({
    ...{ folder, type: named.type, cacheFolder, converter, onEvent },
    signal: io.signal,
  });
}

/** A named model as a request to `src/hub`. */
export function modelRequest(name: string, { type, file, hub }: NamedModelOptions, io: Io): ModelRequest {
  const source = parseModelName(name, hub ?? hubOf(io));
  return { source, type, file, ...modelEnvironment(io, source.hub), converter, signal: io.signal };
}

/** @returns path of the model file */
export async function pullModel(name: string, named: NamedModel, io: Io): Promise<string> {
  return pull(`model ${name}`, modelRequest(name, named, io), named, io, await folderNamed(name));
}

/** A checkpoint or ONNX folder of this name, in any case, below the current folder: a likely copy of the model. */
async function folderNamed(name: string): Promise<string | undefined> {
  const parent = dirname(name);
  const names = await readdir(parent).catch((): string[] => []);
  const folder = names.find((entry) => entry.toLowerCase() === basename(name).toLowerCase());
  const path = folder && `.${sep}${join(parent, folder)}`;
  return path && ((await isCheckpointFolder(path)) || (await findOnnxLayout(path)) !== undefined) ? path : undefined;
}

/** @param copy folder on this machine to name before anything is downloaded */
async function pull(subject: string, request: ModelRequest, named: NamedModel, io: Io, copy?: string): Promise<string> {
  using shown = showEvents(subject, request.cacheFolder, named, io);
  let unsaid = copy !== undefined && !named.quiet;
  const { resolveModel } = await import('../../hub/resolve.ts');
  const useCopy = `to use it without a download: --model ${shellWord(copy ?? '')}`;
  try {
    return await resolveModel({
      ...request,
      onEvent(event) {
        if (unsaid && event.kind === 'download') {
          unsaid = false;
          printNote(`the folder ${copy} has a model of this name too; ${useCopy}`, io);
        }
        shown.onEvent(event);
      },
    });
  } catch (thrown) {
    const { code, problem, param, remedy } = toSvcError(thrown);
    if (copy === undefined || code === 'CANCELLED') throw thrown;
    const ways = [...(remedy === undefined ? [] : [remedy]), `the folder ${copy} has a model of this name; ${useCopy}`];
    throw new SvcError(code, problem, { cause: thrown, param, remedy: ways.join('; ') });
  }
}

/** Path of an adapter's weights. @param folder of the adapter in the repository; empty for the top */
export async function pullAdapter(name: string, folder: string, named: NamedModel, io: Io): Promise<string> {
  const adapter = { ...modelRequest(name, { hub: named.hub }, io), adapter: folder };
  return pull(`LoRA adapter ${name}`, adapter, named, io);
}

/** Shows a progress bar on a terminal, otherwise one line per download and conversion. */
function showEvents(subject: string, cacheFolder: string, { quiet }: NamedModel, io: Io) {
  const progress = createProgress(io.stderr);
  const reported = new Set<string>();
  const report = (kind: string, message: string): void => {
    if (!reported.has(kind)) printNote(message, io);
    reported.add(kind);
  };
  return {
    onEvent: (event: ResolveEvent) => {
      if (quiet) return;
      if (event.kind === 'wait') return report('wait', `waiting for another process that is preparing ${subject}`);
      const { kind, done, total } = event;
      const doing = kind === 'download' ? 'downloading' : 'converting';
      if (io.stderr.isTTY !== true)
        return report(kind, `${doing} ${subject} (${formatBytes(total)}) to ${cacheFolder}`);
      progress.update(doing, done / total, formatShare(done, total));
    },
    [Symbol.dispose]: progress.stop,
  };
}

/** Parts of a long text that share each pass over the weights: more gain little on a CPU, and each takes memory. */
export const partsAtOnce = 4;
