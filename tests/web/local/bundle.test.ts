import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Metafile } from 'esbuild';
import { bundlePage } from '../../../scripts/build-local/bundle.ts';

let folder: string;
let metafile: Metafile;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-bundle-'));
  metafile = await bundlePage(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Code shared with the server. */
const shared = [
  'src/engine/engine.ts',
  'src/engine/generate.ts',
  'src/engine/scheduler.ts',
  'src/engine/noise.ts',
  'src/engine/prefix.ts',
  'src/engine/prepare.ts',
  'src/engine/long-text/speak.ts',
  'src/engine/text/tokenizer.ts',
  'src/engine/backends/onnx/exported/model.ts',
  'src/audio/resample.ts',
  'src/audio/library-resample.ts',
  'src/web/playground/pcm-track.js',
];

describe('the bundles of the local page', () => {
  it("contain the server's code", () => {
    expect(shared.filter((path) => !(path in metafile.inputs))).toEqual([]);
  });

  it('contain no Node.js code', async () => {
    const builtin = new Set(builtinModules);
    const imports = [...Object.values(metafile.inputs), ...Object.values(metafile.outputs)].flatMap(
      (file) => file.imports,
    );
    const found = imports.map(({ path }) => path).filter((path) => path.startsWith('node:') || builtin.has(path));
    expect(found).toEqual([]);
    expect(
      Object.keys(metafile.inputs).filter((path) => /onnxruntime-node|mediabunny|backends\/(native|addon)/.test(path)),
    ).toEqual([]);
    const scripts = (await readdir(folder)).filter((name) => name.endsWith('.js'));
    for (const name of scripts)
      expect(await readFile(join(folder, name), 'utf8')).not.toMatch(/from"node:|require\("node:/);
  });

  it('include all files that the page requests', async () => {
    const names = new Set(await readdir(folder));
    const page = await readFile(join(folder, 'index.html'), 'utf8');
    const asked = [...page.matchAll(/(?:src|href)="([\w.-]+\.\w+)"/g)].map(([, name]) => name as string);
    expect(asked.length).toBeGreaterThan(6);
    expect([...asked, 'worker.js', 'player-worklet.js'].filter((name) => !names.has(name))).toEqual([]);
    expect((await readdir(join(folder, 'ort'))).filter((name) => name.endsWith('.wasm'))).toHaveLength(2);
    const chunks = await Promise.all(
      [...names].filter((name) => name.endsWith('.js')).map((name) => readFile(join(folder, name), 'utf8')),
    );
    const [, version] = chunks.join().match(/libav-(\d[\d.]*)-/) ?? [];
    expect(names).toContain(`libav-${version}-obsolete.wasm.mjs`);
    expect(names).toContain(`libav-${version}-obsolete.wasm.wasm`);
  });
});
