/** The named steps of an ONNX export, and what a folder remembers of the ones that are done. */
import { createHash } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SvcError } from '../../src/errors.ts';
import type { Checkpoint } from '../checkpoint.ts';

/**
 * `read`: the checkpoint is complete; `build`: graphs in float32; `optimize`: own passes and onnxruntime's; `quantize`:
 * matrices in the precision of their stage; `validate`: the files against the native engine. A step works on what the
 * ones before it left: in this call, or in the folder.
 */
export const stepNames = ['read', 'build', 'optimize', 'quantize', 'validate'] as const;
export type StepName = (typeof stepNames)[number];

/** Steps that can't do without the checkpoint. */
export const checkpointSteps: readonly StepName[] = ['read', 'build', 'validate'];

const stateName = '.svc-export.json';

const stateSchema = z.object({
  fingerprint: z.string(),
  /** Bytes of the weights of each finished graph. */
  files: z.record(z.string(), z.number()),
  /** The manifest that the folder had before. */
  manifest: z.string().optional(),
});

type State = z.output<typeof stateSchema>;

/** What an export that did not come to its end has done. */
export interface ExportState {
  /** Whether a graph was finished by an interrupted export of the same input with the same settings, and is there still. */
  isFinished(file: string): Promise<boolean>;
  finish(file: string, weightBytes: number): Promise<void>;
  /** Forgets everything: the export is complete. */
  clear(): Promise<void>;
}

/** What an export depends on, in short. */
export async function fingerprint(checkpoint: Checkpoint | undefined, settings: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  if (checkpoint) hash.update(checkpoint.configText).update(checkpoint.tokenizerFiles.tokenizer);
  for (const path of checkpoint?.weightFiles ?? []) {
    const { size, mtimeMs } = await stat(path);
    hash.update(`${path} ${size} ${mtimeMs}`);
  }
  return hash.digest('hex');
}

/** @throws SvcError IO */
export async function openState(folder: string, print: string, manifest?: string): Promise<ExportState> {
  const path = join(folder, stateName);
  const found = await readState(path);
  const files: Record<string, number> = found?.fingerprint === print ? found.files : {};
  const save = async (): Promise<void> => {
    const state: State = { fingerprint: print, files, ...(manifest === undefined ? {} : { manifest }) };
    await writeFile(path, JSON.stringify(state)).catch((cause: Error) => {
      throw new SvcError('IO', `expected a writable folder for the output, received ${folder}: ${cause.message}`, {
        cause,
      });
    });
  };
  // Whatever happens from now on, the folder knows what it was.
  if (manifest !== undefined) await save();
  return {
    async isFinished(file) {
      const bytes = files[file];
      if (bytes === undefined || !(await stat(join(folder, file)).catch(() => undefined))?.isFile()) return false;
      return (await stat(join(folder, `${file}.data`)).catch(() => undefined))?.size === bytes;
    },
    async finish(file, weightBytes) {
      files[file] = weightBytes;
      await save();
    },
    clear: () => rm(path, { force: true }),
  };
}

/** The manifest of a folder whose last export was interrupted. */
export const interruptedManifest = async (folder: string): Promise<string | undefined> =>
  (await readState(join(folder, stateName)))?.manifest;

async function readState(path: string): Promise<State | undefined> {
  try {
    return stateSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}
