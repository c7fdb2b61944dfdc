/** Exported fixtures, made once for all test files of a process: export them anew, or copy them, to change a file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { exportOnnx } from '../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../export/onnx/precision.ts';

const exported = new Map<string, Promise<string>>();
let folder: string | undefined;

function sharedFolder(): string {
  if (folder !== undefined) return folder;
  const path = mkdtempSync(join(tmpdir(), 'svc-test-'));
  process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  folder = path;
  return path;
}

/** The folder of a fixture in float32, such as `tiny-v1`, in the default layout. */
export async function exportedOnnx(name: string): Promise<string> {
  const output = join(sharedFolder(), name);
  const checkpoint = join(process.cwd(), 'tests', 'fixtures', name, 'checkpoint');
  const made = exported.get(name) ?? exportOnnx({ checkpoint, output, types: modelPrecisions.f32 }).then(() => output);
  exported.set(name, made);
  return await made;
}
