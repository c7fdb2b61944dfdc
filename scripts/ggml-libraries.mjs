/**
 * ggml's libraries for Linux arm64, which npm can't choose by itself: their package says that it fits x64 too, so as a
 * dependency everyone on x64 would get 20 MB more. Other platforms have theirs from `optionalDependencies`.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ggmlVersion, unpackPackage } from './registry-package.js';

const name = '@node-llama-cpp/linux-arm64';
const integrity = 'sha512-eI3anSEGzJiwF2rpMpZVTdHzw47LztbvfvuRzlu/fPO18ROnBOd+75RPUBlV6qENPpmNtbov85+3VODwEwBurg==';

/** Puts the package into the `node_modules` of `root`, unless Node finds it already. */
export function addGgmlLibraries(root, platform = `${process.platform}-${process.arch}`) {
  if (platform !== 'linux-arm64' || isInstalled(root)) return;
  const target = join(root, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  const scratch = mkdtempSync(join(dirname(target), '.svc-'));
  try {
    renameSync(unpackPackage({ name, version: ggmlVersion, integrity }, scratch), target);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isInstalled(root) {
  try {
    return existsSync(createRequire(join(root, 'package.json')).resolve(name));
  } catch {
    return false;
  }
}
