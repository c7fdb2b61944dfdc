import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join, posix } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Metafile } from 'esbuild';
import { buildPage } from '../../../scripts/web/build-page.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const folder = sharedFolder();
let metafile: Metafile;
beforeAll(async () => {
  metafile = await buildPage('local', folder);
});

/** Code shared with the server. */
const shared = [
  ...['engine', 'generate', 'scheduler', 'noise', 'prefix', 'prepare', 'long-text/speak', 'text/tokenizer'],
  ...['backends/onnx/exported/model', '../audio/resample/resample', '../audio/resample/library-resample'],
  '../web/shared/pcm-track',
].map((name) => posix.join('src/engine', `${name}.ts`));

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
      Object.keys(metafile.inputs).filter((path) =>
        /onnxruntime-node|mediabunny|yauzl|src\/book|backends\/(native|addon)/.test(path),
      ),
    ).toEqual([]);
    const scripts = (await readdir(folder)).filter((name) => name.endsWith('.js'));
    for (const name of scripts)
      expect(await readFile(join(folder, name), 'utf8')).not.toMatch(/from"node:|require\("node:/);
  });

  it('stay small with the parsers of scripts', () => {
    const sizeOf = (wanted: RegExp): number =>
      Object.values(metafile.outputs)
        .flatMap(({ inputs }) => Object.entries(inputs))
        .filter(([path]) => wanted.test(path))
        .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
    const parsers = sizeOf(
      /node_modules\/(markdown-it|entities|linkify-it|mdurl|uc\.micro|punycode|saxes|xmlchars|htmlparser2)/,
    );
    expect(parsers).toBeGreaterThan(50_000);
    expect(parsers).toBeLessThan(150_000);
  });

  it('come with the files of onnxruntime and FFmpeg', async () => {
    expect((await readdir(join(folder, 'ort'))).filter((name) => name.endsWith('.wasm'))).toHaveLength(2);
    const names = await readdir(folder);
    const scripts = names.filter((name) => name.endsWith('.js'));
    const texts = await Promise.all(scripts.map((name) => readFile(join(folder, name), 'utf8')));
    const [, version] = texts.join().match(/libav-(\d[\d.]*)-/) ?? [];
    expect(names).toContain(`libav-${version}-obsolete.wasm.mjs`);
    expect(names).toContain(`libav-${version}-obsolete.wasm.wasm`);
  });
});
