import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadRuntime, type OnnxDevice, openGraph } from '../../../engine/backends/onnx/runtime.ts';
import type { SvcError } from '../../../errors.ts';
import { hasMusl } from '../../../package/c-library.ts';
import { isMissingPackage } from '../../../package/optional-package.ts';
import { type Check, checkOfError } from '../check.ts';
import { checkOfDevice } from '../device-check.ts';

/** A graph with one `Identity` of one float: IR version 8, operator set 13. */
const identity = 'CAg6NwoQCgF4EgF5IghJZGVudGl0eRIBaVoPCgF4EgoKCAgBEgQKAggBYg8KAXkSCgoICAESBAoCCAFCAhAN';

/** Checks whether onnxruntime computes on a device. */
export async function probeOnnx(device: string): Promise<readonly Check[]> {
  const name = `onnx ${device}`;
  const folder = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  try {
    const path = join(folder, 'identity.onnx');
    await writeFile(path, Buffer.from(identity, 'base64'));
    const graph = await openGraph(path, { device: device as OnnxDevice, threads: 1 });
    await graph.close();
    const version = (await loadRuntime()).env.versions.node;
    return [{ name, status: 'ok', summary: `onnxruntime ${version} runs a graph`, details: { version } }];
  } catch (error) {
    const isMissing = hasMusl() || isMissingPackage((error as SvcError).cause, 'onnxruntime-node');
    if (device !== 'cpu' && !isMissing) return [checkOfDevice(name, device, error)];
    // Devices are optional, and so is the whole package.
    return [checkOfError(name, isMissing ? 'missing' : 'failed', error)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
