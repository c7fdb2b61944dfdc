/** The steps of an ONNX export and the stored state of an interrupted export. */
import { createHash } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SvcError } from '../../src/errors.ts';
import type { Checkpoint } from '../checkpoint-source.ts';

/**
 * `read` checks the checkpoint; `build` creates graphs in float32; `optimize` applies our passes and onnxruntime's;
 * `quantize` converts matrices to the precision of their stage; `validate` compares the files with the native engine. A
 * step uses the output of earlier ones, in this call or in the folder.
 */
export const stepNames = ['read', 'build', 'optimize', 'quantize', 'validate'] as const;
export type StepName = (typeof stepNames)[number];

/** Steps that need the checkpoint. */
export const checkpointSteps: readonly StepName[] = ['read', 'build', 'validate'];

const stateName = '.svc-export.json';

const stateSchema = z.object({
  fingerprint: z.string(),
  /** Weight bytes of each finished graph. */
  files: z.record(z.string(), z.number()),
  /** The previous manifest of the folder. */
  manifest: z.string().optional(),
});

type State = z.output<typeof stateSchema>;

/** The progress of an interrupted export. */
export interface ExportState {
  /** Whether an interrupted export of the same input and settings finished a graph that still exists. */
  isFinished(file: string): Promise<boolean>;
  finish(file: string, weightBytes: number): Promise<void>;
  /** Removes the state when the export is complete. */
  clear(): Promise<void>;
}

/** A hash of all inputs and settings of an export. */
export async function fingerprint(checkpoint: Checkpoint | undefined, settings: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  if (checkpoint)
    hash
      .update(checkpoint.configText)
      .update(JSON.stringify(checkpoint.loras ?? []))
      .update(checkpoint.tokenizerFiles.tokenizer);
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
      throw new SvcError('IO', `cannot write to folder ${folder}: ${cause.message}`, { cause });
    });
  };
  // Saved before any change, so that the previous manifest is not lost.
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

/** The previous manifest of a folder with an interrupted export. */
export const interruptedManifest = async (folder: string): Promise<string | undefined> =>
  (await readState(join(folder, stateName)))?.manifest;

async function readState(path: string): Promise<State | undefined> {
  try {
    return stateSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}
