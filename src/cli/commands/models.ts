import { Argument, type Command } from 'commander';
import { SvcError } from '../../errors.ts';
import { type CachedModel, listCache, lockPath, removeCached } from '../../hub/cache.ts';
import type { HubName } from '../../hub/hubs.ts';
import { knownModels, type ModelSource, modelName, parseModelName } from '../../hub/source.ts';
import { quote } from '../../messages.ts';
import { suggesting } from '../completion/suggested.ts';
import type { Io } from '../io.ts';
import { modelRequest, pullModel } from '../model/model-choice.ts';
import { hubOf, modelEnvironment } from '../model/model-environment.ts';
import { hubOption, type NamedModelOptions, namedModelOptions } from '../options/model-options.ts';
import { commandWith } from '../options/option-values.ts';
import type { OutputOptions } from '../options/output-options.ts';
import { printColumns, printJson, printLine, printNote } from '../output/messages.ts';
import { formatBytes } from '../output/units.ts';

type Options = NamedModelOptions & Pick<OutputOptions, 'quiet'>;

const examples = `
Examples:
  svc models pull voxcpm-0.5b
  svc models pull voxcpm-2 --type q4_k
  svc models pull someone/voxcpm-gguf --file voxcpm-q8_0.gguf
  svc models pull https://huggingface.co/openbmb/VoxCPM-0.5B
  svc models pull voxcpm-2 --hub modelscope
  svc models list --json
  svc models remove voxcpm-2

A model is ${Object.keys(knownModels).join(', ')}, or a repository of
Hugging Face or ModelScope (--hub), as organization/name, optionally with
@revision; or the address of its page. modelscope:NAME is the same as
NAME --hub modelscope.

Environment variables: SVC_CACHE_DIR (folder for models), SVC_HUB (as --hub),
HF_ENDPOINT and HF_TOKEN, MODELSCOPE_ENDPOINT and MODELSCOPE_API_TOKEN
(addresses and tokens), HF_HUB_OFFLINE=1 (download nothing).`;

/** `svc models`: lists, downloads and removes models. */
export function modelsCommand(io: Io): Command {
  const name = () => suggesting(new Argument('<name>', 'name of the model'), 'models');
  const quiet = '--quiet: print errors only on standard error';
  const list = commandWith('list', '', ['--json: print one line of JSON'])
    .description('List downloaded models.')
    .action((options: { readonly json?: boolean }) => printModels(options, io));
  const pull = commandWith('pull', '', [quiet, ...namedModelOptions()])
    .description('Download and convert a model, unless it is in the cache; print its path.')
    .addArgument(name())
    .action(async (model: string, options: Options) => printLine(await pullModel(model, options, io), io));
  const remove = commandWith('remove', '', [hubOption(), quiet])
    .description('Remove a model and its downloads.')
    .addArgument(name())
    .action((model: string, options: Options) => removeModel(model, options, io));
  const path = commandWith('path', '', namedModelOptions())
    .description('Print the path of a downloaded model.')
    .addArgument(name())
    .action((model: string, options: Options) => printPath(model, options, io));
  const models = commandWith('models', examples, []);
  for (const command of [list, pull, remove, path]) models.addCommand(command);
  return models;
}

async function printPath(model: string, options: Options, io: Io): Promise<void> {
  const request = modelRequest(model, options, io);
  const { findModel } = await import('../../hub/resolve.ts');
  const path = await findModel(request);
  if (path !== undefined) return printLine(path, io);
  const name = modelName(request.source);
  const remedy = `download it with svc models pull ${name}`;
  throw new SvcError('MODEL_NOT_FOUND', `model ${quote(name)} is not in ${request.cacheFolder}; ${remedy}`);
}

async function printModels({ json }: { readonly json?: boolean }, io: Io): Promise<void> {
  const { cacheFolder } = modelEnvironment(io);
  const models = await listCache(cacheFolder);
  if (json) return printJson({ cacheFolder, models }, io);
  if (models.length === 0)
    return printLine(`no models in ${cacheFolder}; known names: ${Object.keys(knownModels).join(', ')}`, io);
  printColumns([['NAME', 'KIND', 'SIZE', 'PATH'], ...models.map(row)], io);
}

function row({ name, kind, type, state, bytes, path }: CachedModel): readonly string[] {
  const what = kind === 'converted' ? `model ${type}` : state === 'partial' ? 'incomplete download' : 'download';
  return [name, what, formatBytes(bytes), path];
}

/** Undefined for what can be no name of a model: names that could be downloaded would not help. */
function parseDownloaded(model: string, hub: HubName): ModelSource | undefined {
  try {
    return parseModelName(model, hub);
  } catch (error) {
    if (error instanceof SvcError && error.code === 'MODEL_NOT_FOUND') return undefined;
    throw error;
  }
}

async function removeModel(model: string, { quiet, hub }: Options, io: Io): Promise<void> {
  const { cacheFolder } = modelEnvironment(io);
  const names = (await listCache(cacheFolder)).map(({ name }) => name);
  const source = parseDownloaded(model, hub ?? hubOf(io));
  const name = source === undefined ? model : modelName(source);
  if (source === undefined || !names.includes(name)) {
    const downloaded = names.length === 0 ? '' : ` (downloaded: ${names.join(', ')})`;
    throw new SvcError('MODEL_NOT_FOUND', `model ${quote(name)} is not downloaded; nothing to remove${downloaded}`);
  }
  const options = { signal: io.signal, busy: 'refuse' } as const;
  const { withLock } = await import('../../hub/lock.ts');
  const freed = await withLock(lockPath(cacheFolder, source), options, () => removeCached(cacheFolder, source));
  if (!quiet) printNote(`removed model ${name} (${formatBytes(freed)})`, io);
}
