import { rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestName } from '../../src/engine/backends/onnx/manifest.ts';
import { makeFolder, replaceWhole } from '../../src/files/file-system.ts';
import { findPackage } from '../../src/package/package-root.ts';
import { digestFiles } from './file-digests.ts';
import { weightBytes } from './graph.ts';
import type { GraphDraft } from './graph-draft.ts';
import type { OnnxExportProgress } from './progress.ts';
import { openState, type StepName } from './steps.ts';
import type { Work } from './work.ts';
import { writeModel } from './writer.ts';

export interface Writing {
  readonly output: string;
  /** Origin of the graphs; unchanged files are not written again. */
  readonly source: 'checkpoint' | 'files';
  /** Fingerprint of the export. */
  readonly print: string;
  /** The step for progress reports. */
  readonly step: StepName;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: OnnxExportProgress) => void) | undefined;
}

export interface Written {
  readonly bytes: number;
  readonly files: readonly string[];
  readonly resumed: readonly string[];
  /** Removes the state of the export. */
  clear(): Promise<void>;
}

const graphBytes = ({ weights }: GraphDraft): number =>
  [...weights.values()].reduce((sum, weight) => sum + weightBytes(weight), 0);

/**
 * Writes graphs and other files.
 *
 * @param before the graphs before the passes
 * @param work the graphs to write
 * @throws SvcError MODEL_INVALID, CANCELLED, IO
 */
export async function writeWork(before: Work, work: Work, writing: Writing): Promise<Written> {
  const { output } = writing;
  const made = await makeFolder(output);
  try {
    return await writeInto(before, work, writing);
  } catch (error) {
    // Removes a new folder if it is empty; one with finished files stays.
    if (made !== undefined) await rmdir(output).catch(() => undefined);
    throw error;
  }
}

async function writeInto(before: Work, work: Work, writing: Writing): Promise<Written> {
  const { output, source, print, step, signal, onProgress } = writing;
  const isSame = work.drafts.every((draft, index) => draft === before.drafts[index]);
  if (source === 'files' && isSame) {
    return { bytes: 0, files: [], resumed: work.drafts.map(({ file }) => file), clear: async () => {} };
  }
  const oldManifest = source === 'files' && before.manifest ? JSON.stringify(before.manifest) : undefined;
  const state = await openState(output, print, oldManifest);
  // Without a manifest, an interrupted export is not mistaken for a complete model.
  await rm(join(output, manifestName), { force: true });
  const { version } = findPackage();
  const total = work.drafts.reduce((sum, draft) => sum + graphBytes(draft), 0);
  let done = 0;
  let bytes = 0;
  const resumed: string[] = [];
  const advance = (count: number): void => {
    done += count;
    onProgress?.({ step, done, total, unit: 'bytes' });
  };
  for (const [index, draft] of work.drafts.entries()) {
    const isKept = source === 'files' ? draft === before.drafts[index] : await state.isFinished(draft.file);
    if (isKept) {
      resumed.push(draft.file);
      advance(graphBytes(draft));
      continue;
    }
    const written = await writeModel(output, draft, { version, signal, onBytes: advance });
    bytes += written.bytes;
    await state.finish(draft.file, written.dataBytes);
  }
  for (const [file, text] of Object.entries(work.texts)) await writeText(join(output, file), text);
  const files = [...work.drafts.map(({ file }) => file), ...Object.keys(work.texts)];
  if (!work.manifest) return { bytes, resumed, files, clear: state.clear };
  const { tokenizer } = work.manifest;
  const digests = await digestFiles(output, [...work.drafts.flatMap(({ file }) => [file, `${file}.data`]), tokenizer]);
  const manifest = { ...work.manifest, files: digests };
  await writeText(join(output, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
  return { bytes, resumed, files: [...files, manifestName], clear: state.clear };
}

const writeText = (path: string, text: string): Promise<void> =>
  replaceWhole(path, (temporary) => writeFile(temporary, text, { flag: 'wx' }));
