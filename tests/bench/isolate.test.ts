import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { BenchConfiguration } from '../../src/bench/configuration.ts';
import { measureInProcess } from '../../src/bench/isolate.ts';

const configuration: BenchConfiguration = {
  modelPath: join('tests', 'fixtures', 'peer-tiny-v1.gguf'),
  engine: 'native',
  backend: 'cpu',
  threads: 2,
  batch: 2,
  patches: 4,
  timesteps: 4,
  cfg: 2,
  seed: 1,
  text: 'Hello.',
  promptSeconds: 0.5,
};
const { signal } = new AbortController();

describe('measureInProcess', () => {
  it('times steps', async () => {
    const { msPerStep, vaeMsPerPatch } = await measureInProcess('steps', configuration, { signal });
    expect(msPerStep).toBeGreaterThan(0);
    expect(vaeMsPerPatch).toBeGreaterThan(0);
  });

  it('times the first audio of a voice', async () => {
    const times = await measureInProcess('firstAudio', configuration, { signal });
    for (const time of Object.values(times)) expect(time).toBeGreaterThan(0);
    // Only this one encodes a recording.
    expect(times.recordingMs).toBeGreaterThan(times.plainMs);
  });

  it('times contexts of both lengths', async () => {
    const times = await measureInProcess('contexts', configuration, { signal });
    expect(times.longPositions).toBeGreaterThan(times.shortPositions);
    expect(times.longPrefillMs).toBeGreaterThan(0);
  });

  it('times loading', async () => {
    const { loadMs, peakRssMb } = await measureInProcess('loading', configuration, { signal });
    expect(loadMs).toBeGreaterThan(0);
    expect(peakRssMb).toBeGreaterThan(10);
  });

  it('reports errors of the process', async () => {
    await expect(
      measureInProcess('loading', { ...configuration, modelPath: 'no.gguf' }, { signal }),
    ).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
  });

  it('stops when canceled', async () => {
    await expect(measureInProcess('steps', configuration, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });
});
