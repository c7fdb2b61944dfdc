import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = process.cwd();
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

/** Whether the lint rules allow `file` to import `specifier`. */
const imports = [
  { file: 'src/engine/generate.ts', specifier: '../cli/main.ts', allowed: false },
  { file: 'src/engine/voice.ts', specifier: '../server/app.ts', allowed: false },
  { file: 'src/engine/prefix.ts', specifier: '../../export/export-gguf.ts', allowed: false },
  { file: 'src/engine/text/split.ts', specifier: 'onnxruntime-node', allowed: false },
  { file: 'src/engine/request.ts', specifier: '../../native/build/Release/svc.node', allowed: false },
  { file: 'src/engine/noise.ts', specifier: '@node-llama-cpp/linux-x64', allowed: false },
  { file: 'src/engine/batch.ts', specifier: '../audio/resample.ts', allowed: true },
  { file: 'src/engine/backends/onnx/open-onnx.ts', specifier: 'onnxruntime-node', allowed: true },
  { file: 'src/engine/backends/native/native.ts', specifier: '../../../cli/main.ts', allowed: false },
  { file: 'src/audio/resample.ts', specifier: '../engine/engine.ts', allowed: false },
  { file: 'src/hub/resolve.ts', specifier: '../engine/backend.ts', allowed: false },
  { file: 'src/formats/gguf.ts', specifier: '../errors.ts', allowed: true },
  { file: 'src/engine/prepare.ts', specifier: '../voices/voice-service.ts', allowed: false },
  { file: 'src/audio/riff.ts', specifier: '../voices/voice-store.ts', allowed: false },
  { file: 'src/voices/voice-service.ts', specifier: '../engine/engine.ts', allowed: true },
  { file: 'src/voices/voice-store.ts', specifier: '../audio/wav.ts', allowed: true },
  { file: 'src/voices/sqlite-database.ts', specifier: 'libsql', allowed: true },
  { file: 'src/voices/encoder-fingerprint.ts', specifier: '../engine/open-engine.ts', allowed: false },
  { file: 'src/voices/voice-id.ts', specifier: '../engine/backends/native/native.ts', allowed: false },
  { file: 'src/voices/voice-catalog.ts', specifier: '../engine/request.ts', allowed: true },
  { file: 'src/voices/recorded-voices.ts', specifier: '../server/recordings.ts', allowed: false },
  { file: 'src/voices/sqlite-store.ts', specifier: '../cli/options/voice-choice.ts', allowed: false },
  { file: 'src/server/routes/voices.ts', specifier: '../../voices/voice-service.ts', allowed: true },
  { file: 'src/server/app.ts', specifier: 'libsql', allowed: false },
  { file: 'src/cli/options/voice-choice.ts', specifier: 'libsql', allowed: false },
  { file: 'src/engine/engine.ts', specifier: '../recognition/open-recognizer.ts', allowed: false },
  { file: 'src/recognition/recording.ts', specifier: '../engine/recognize.ts', allowed: true },
  { file: 'src/recognition/time-limit.ts', specifier: '../cli/io.ts', allowed: false },
  { file: 'src/processors/machine.ts', specifier: '../engine/backends/native/default-threads.ts', allowed: false },
  { file: 'src/admission/queue.ts', specifier: '../broker/front.ts', allowed: false },
  { file: 'src/model-pool/model-pool.ts', specifier: '../engine/engine.ts', allowed: true },
  { file: 'src/model-pool/model-files.ts', specifier: '../engine/open-engine.ts', allowed: false },
  { file: 'src/model-pool/served-models.ts', specifier: '../server/context.ts', allowed: false },
  { file: 'src/engine/speed.ts', specifier: '../model-pool/served-models.ts', allowed: false },
  { file: 'src/server/metrics.ts', specifier: 'ioredis', allowed: false },
  { file: 'src/voices/postgres-database.ts', specifier: 'pg', allowed: true },
  { file: 'src/cli/options/broker-choice.ts', specifier: 'bullmq', allowed: false },
  { file: 'src/speech-files/object-store.ts', specifier: '../broker/front.ts', allowed: false },
  { file: 'src/speech-files/speech-file.ts', specifier: '../engine/engine.ts', allowed: true },
  { file: 'src/cli/batch/line-index.ts', specifier: 'libsql', allowed: false },
  { file: 'src/broker/front.ts', specifier: 'bullmq', allowed: true },
  { file: 'src/broker/broker-admission.ts', specifier: '../admission/queue.ts', allowed: true },
  { file: 'src/broker/work-task.ts', specifier: '../voices/voice-store.ts', allowed: false },
  { file: 'src/broker/broker-worker.ts', specifier: '../cli/main.ts', allowed: false },
  { file: 'src/wyoming/speaker.ts', specifier: '../server/live/speak-live.ts', allowed: true },
  { file: 'src/wyoming/announce.ts', specifier: '../broker/front.ts', allowed: false },
  { file: 'src/wyoming/address.ts', specifier: '../cli/io.ts', allowed: false },
  { file: 'src/server/open-server.ts', specifier: '../wyoming/open-wyoming.ts', allowed: false },
  { file: 'src/engine/noise.ts', specifier: '../wyoming/event.ts', allowed: false },
  { file: 'src/web/local/worker.ts', specifier: '../../engine/engine.ts', allowed: true },
  { file: 'src/web/local/speak.ts', specifier: '../shared/dom.ts', allowed: true },
  { file: 'src/web/local/recording-form.ts', specifier: '../playground/create.ts', allowed: false },
  { file: 'src/web/playground/main.ts', specifier: '../local/main.ts', allowed: false },
  { file: 'src/web/shared/player.ts', specifier: '../playground/main.ts', allowed: false },
  { file: 'src/web/playground/api.ts', specifier: 'node:fs', allowed: false },
  { file: 'src/web/local/model-files.ts', specifier: 'node:fs', allowed: false },
  { file: 'src/web/local/main.ts', specifier: '../../server/app.ts', allowed: false },
  { file: 'src/web/local/onnx-web.ts', specifier: 'onnxruntime-node', allowed: false },
  { file: 'src/errors.ts', specifier: './formats/gguf.ts', allowed: false },
  { file: 'src/cli/main.ts', specifier: '../engine/engine.ts', allowed: true },
  { file: 'src/cli/options/options.ts', specifier: '../../../tests/golden/main.ts', allowed: false },
  { file: 'bench/measure.ts', specifier: '../src/engine/open-engine.ts', allowed: true },
  { file: 'bench/peer.ts', specifier: '../src/cli/io.ts', allowed: false },
  { file: 'export/checkpoint.ts', specifier: '../src/cli/main.ts', allowed: false },
];

let directory: string;
let output: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-layers-'));
  for (const name of ['biome.json', '.gitignore', '.editorconfig'])
    await copyFile(join(root, name), join(directory, name));
  for (const { file, specifier } of imports) {
    await mkdir(join(directory, dirname(file)), { recursive: true });
    await writeFile(join(directory, file), `import { a } from '${specifier}';\n\nexport const b = a;\n`);
  }
  output = await new Promise((resolve) => {
    const settings = ['lint', '--only=style/noRestrictedImports', '--reporter=json', '--max-diagnostics=none', '.'];
    execFile(process.execPath, [biome, ...settings], { cwd: directory }, (_error, stdout) => resolve(stdout));
  });
}, 60_000);

afterAll(() => rm(directory, { recursive: true, force: true }));

describe('layer rules', () => {
  it.each(imports)('$file importing $specifier: allowed $allowed', ({ file, allowed }) => {
    expect(output.includes(`"${file}"`)).toBe(!allowed);
  });

  it('only the command line accesses the process', async () => {
    // Code samples for clients, which are text, and the only switch of a library.
    const exempt = ['server/openapi/samples.ts', 'engine/backends/onnx/telemetry.ts'];
    const offenders: string[] = [];
    for (const entry of await readdir(join(root, 'src'), { recursive: true })) {
      if (!entry.endsWith('.ts') || entry.startsWith('cli') || exempt.includes(entry)) continue;
      const source = await readFile(join(root, 'src', entry), 'utf8');
      if (/\bprocess\.(argv|exit|exitCode|stdout|stderr|stdin|env)\b/.test(source)) offenders.push(entry);
    }
    expect(offenders).toEqual([]);
  });
});
