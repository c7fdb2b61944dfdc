import { join, resolve } from 'node:path';
import { findPackage } from '../package/package-root.ts';

/** Its name wherever models have one: its file states that of its architecture, as every checkpoint of VoxCPM does. */
export const demoModelName = 'demo';

export const demoModelPath = (): string => join(findPackage().root, 'models', 'demo.gguf');

export const isDemoModel = (path: string): boolean => resolve(path) === demoModelPath();
