/** From the options that say which model to the path of a file. */
import { type ModelRequest, type ResolveEvent, resolveModel } from '../model/resolve.ts';
import { parseModelName } from '../model/source.ts';
import { converter } from './converter.ts';
import type { Io } from './io.ts';
import { modelEnvironment } from './model-environment.ts';
import { invalidOption, type ModelOptions, type NamedModelOptions, type OutputOptions } from './options.ts';
import { createProgress, type Progress } from './progress.ts';

type NamedModel = NamedModelOptions & Pick<OutputOptions, 'quiet'>;

/**
 * The path of the model that the options name, downloaded and converted when it is not in the cache.
 *
 * @returns nothing when the options name none
 * @throws SvcError
 */
export async function chooseModel(choice: ModelOptions & NamedModel, io: Io): Promise<string | undefined> {
  const { modelPath, model, type, file } = choice;
  if (model !== undefined) return pullModel(model, choice, io);
  if (type !== undefined || file !== undefined) throw invalidOption('--model', '--type and --file', 'none');
  return modelPath;
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
  progress: Progress | undefined,
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
