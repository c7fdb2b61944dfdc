/** The named steps of an ONNX export, and what a folder remembers of the ones that are done. */
import { createHash } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SvcError } from '../../src/errors.ts';
import type { Checkpoint } from '../checkpoint.ts';

/**
 * `read`: the checkpoint is complete; `build`: the graphs; `optimize`: nodes that compute nothing are dropped;
 * `quantize`: the weights are written in the precision of their stage; `validate`: the files against the native engine.
 */
export const stepNames = ['read', 'build', 'optimize', 'quantize', 'validate'] as const;
export type StepName = (typeof stepNames)[number];

const stateName = '.svc-export.json';

const stateSchema = z.object({ fingerprint: z.string(), files: z.array(z.string()) });

/** Files that an interrupted export of the same input with the same settings has finished. */
export interface ExportState {
  isFinished(file: string): boolean;
  finish(file: string): Promise<void>;
  /** Forgets everything: the export is complete. */
  clear(): Promise<void>;
}

/** What an export depends on, in short. */
export async function fingerprint(checkpoint: Checkpoint, settings: unknown): Promise<string> {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(settings)).update(checkpoint.configText).update(checkpoint.tokenizerFiles.tokenizer);
  for (const path of checkpoint.weightFiles) {
    const { size, mtimeMs } = await stat(path);
    hash.update(`${path} ${size} ${mtimeMs}`);
  }
  return hash.digest('hex');
}

export async function openState(folder: string, print: string): Promise<ExportState> {
  const path = join(folder, stateName);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const finished = new Set(text === undefined ? [] : parseState(text, print));
  const save = (): Promise<void> =>
    writeFile(path, JSON.stringify({ fingerprint: print, files: [...finished] })).catch((cause: Error) => {
      throw new SvcError('IO', `expected a writable folder for the output, received ${folder}: ${cause.message}`, {
        cause,
      });
    });
  return {
    isFinished: (file) => finished.has(file),
    async finish(file) {
      finished.add(file);
      await save();
    },
    clear: () => rm(path, { force: true }),
  };
}

/** Nothing for a state of another input or one that does not parse. */
function parseState(text: string, print: string): readonly string[] {
  try {
    const state = stateSchema.parse(JSON.parse(text));
    return state.fingerprint === print ? state.files : [];
  } catch {
    return [];
  }
}
