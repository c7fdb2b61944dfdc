/** Files that `npm ci` leaves of dependencies that bring files for every platform. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from '@jest/globals';
import { freshFolder } from '../support/test-folder.ts';

const folder = freshFolder();
const here = `${process.platform}/${process.arch}`;
const [other] = ['linux/x64', 'darwin/arm64'].filter((place) => place !== here);
const own = `${process.platform}-${process.arch}`;

it('keeps the files for this platform, and what a page or an import uses', () => {
  const kept = [
    `onnxruntime-node/bin/napi-v6/${here}/onnxruntime_binding.node`,
    'onnxruntime-node/dist/index.js',
    'onnxruntime-web/dist/ort-wasm-simd-threaded.asyncify.wasm',
    'onnxruntime-web/dist/ort-wasm-simd-threaded.mjs',
    'onnxruntime-web/dist/ort.wasm.min.mjs',
    'onnxruntime-web/dist/ort.webgpu.min.js',
    `node-web-audio-api/node-web-audio-api.${own}-gnu.node`,
    'node-web-audio-api/index.mjs',
  ];
  const removed = [
    `onnxruntime-node/bin/napi-v6/${other}/onnxruntime_binding.node`,
    'onnxruntime-web/dist/ort-wasm-simd-threaded.jsep.wasm',
    'onnxruntime-web/dist/ort.all.min.mjs',
    'onnxruntime-web/dist/ort.wasm.min.mjs.map',
    'node-web-audio-api/node-web-audio-api.other-x64.node',
  ];
  for (const name of [...kept, ...removed]) {
    const path = folder.join('node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
  }
  execFileSync(process.execPath, [join(process.cwd(), 'scripts', 'remove-foreign-files.mjs')], { cwd: folder.path });
  const left = readdirSync(folder.join('node_modules'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder.join('node_modules'), join(parentPath, name)));
  expect(left.sort()).toEqual(kept.sort());
});
