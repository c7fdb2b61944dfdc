/**
 * Removes what dependencies bring for other platforms, and builds of onnxruntime that no page uses: 350 of 980 MB. Run in a
 * clone by `npm ci`, and in container images: `node remove-foreign-files.mjs`.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasMusl } from './c-library.mjs';

const { platform, arch } = process;
const here = `${platform}-${arch}`;
/** The addon of a package for a platform, as napi-rs names it. */
const ownAddon = new RegExp(`\\.${here}(-(gnu|musl|msvc|gnueabihf))?\\.node$`);

const rules = [
  // bin/napi-v6/linux/x64/…
  {
    folder: 'onnxruntime-node/bin',
    isForeign: (path) => !path.replaceAll('\\', '/').includes(`/${platform}/${arch}/`),
  },
  // src/web/local/onnx-web.ts and scripts/web/build-page.ts name the others
  {
    folder: 'onnxruntime-web/dist',
    isForeign: (path) =>
      !/^ort(-wasm-simd-threaded(\.asyncify)?|\.(wasm|webgpu)\..+)\.m?js$|^ort-wasm-simd-threaded(\.asyncify)?\.wasm$/.test(
        path,
      ),
  },
  { folder: 'node-web-audio-api', isForeign: (path) => path.endsWith('.node') && !ownAddon.test(path) },
  ...(platform === 'linux' && !hasMusl() ? [{ folder: `@libsql/${here}-musl`, isForeign: () => true }] : []),
];

/** @param root folder with `node_modules` */
export function removeForeignFiles(root) {
  for (const { folder, isForeign } of rules) {
    const path = join(root, 'node_modules', folder);
    if (!existsSync(path)) continue;
    for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
      const name = join(entry.parentPath, entry.name);
      if (!entry.isDirectory() && isForeign(name.slice(path.length + 1))) rmSync(name);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) removeForeignFiles(process.cwd());
