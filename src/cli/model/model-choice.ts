/** From the options and the environment that say which model and device to what an engine is opened with. */
import type { EngineOptions } from '../../engine/request.ts';
import { type ModelRequest, type ResolveEvent, resolveModel } from '../../hub/resolve.ts';
import { parseModelName } from '../../hub/source.ts';
import type { Io } from '../io.ts';
import { invalidOption, type ModelOptions, type NamedModelOptions, type OutputOptions } from '../options/options.ts';
import { createProgress, type ProgressBar } from '../output/progress.ts';
import { converter } from './converter.ts';
import { deviceOf, modelOfFolder } from './engine-environment.ts';
import { modelEnvironment } from './model-environment.ts';

type NamedModel = NamedModelOptions & Pick<OutputOptions, 'quiet'>;

/**
 * What an engine is opened with; a model that has a name is downloaded and converted when it is not in the cache.
 *
 * @throws SvcError
 */
export async function chooseEngine(
  choice: ModelOptions & NamedModel,
  io: Io,
): Promise<Omit<EngineOptions, 'maxBatch'>> {
  const backend = choice.backend ?? deviceOf(io);
  return { backend, threads: choice.threads, modelPath: await chooseModel(choice, io) };
}

/**
 * The path of the model that the options name, else that of `SVC_MODELS_DIR`.
 *
 * @returns nothing when neither names one: the demo model
 * @throws SvcError
 */
export async function chooseModel(choice: ModelOptions & NamedModel, io: Io): Promise<string | undefined> {
  const { modelPath, model, type, file } = choice;
  if (model !== undefined) return pullModel(model, choice, io);
  if (type !== undefined || file !== undefined) throw invalidOption('--model', '--type and --file', 'none');
  return modelPath ?? modelOfFolder(io);
}

/** What the library needs to know about a model with a name. */
export function modelRequest(name: string, { type, file }: NamedModelOptions, io: Io): ModelRequest {
  return { source: parseModelName(name), type, file, ...modelEnvironment(io), converter, signal: io.signal };
}

/** @returns the path of the model's file */
export async function pullModel(name: string, named: NamedModel, io: Io): Promise<string> {
  const request = modelRequest(name, named, io);
  const progress = named.quiet ? undefined : createProgress(io.stderr);
  try {
    return await resolveModel({ ...request, onEvent: narrator(name, request, named, progress, io) });
  } finally {
    progress?.stop();
  }
}

/** A bar on a terminal; in a log file one line for each thing begun. */
function narrator(
  name: string,
  { cacheFolder }: ModelRequest,
  { quiet }: NamedModel,
  progress: ProgressBar | undefined,
  { stderr }: Io,
): (event: ResolveEvent) => void {
  const told = new Set<string>();
  const tell = (kind: string, message: string): void => {
    if (quiet || told.has(kind)) return;
    told.add(kind);
    stderr.write(`svc: ${message}\n`);
  };
  return (event) => {
    if (event.kind === 'wait') return tell('wait', `another process is at work on model ${name}, waiting for it`);
    const { kind, done, total } = event;
    const doing = kind === 'download' ? 'downloading' : 'converting';
    if (stderr.isTTY !== true) {
      return tell(kind, `${doing} model ${name} (${toMegabytes(total)} MB) in ${cacheFolder}`);
    }
    progress?.update(`${doing}, MB`, toMegabytes(done), toMegabytes(total));
  };
}

const toMegabytes = (bytes: number): number => Math.ceil(bytes / 1e6);
