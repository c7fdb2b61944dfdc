import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, SvcError } from '../errors.ts';
import { installCommand } from './install-command.ts';
import { findPackage } from './package-root.ts';

/** Packages that an installation may lack, by what needs them. */
export const optionalPackages = {
  'svc worker': ['bullmq', 'ioredis'],
  'svc serve --broker': ['bullmq', 'ioredis'],
  'svc batch --broker': ['bullmq', 'ioredis'],
  'writing to S3': ['@aws-sdk/client-s3', '@aws-sdk/lib-storage'],
  'a voice store in PostgreSQL': ['pg'],
  'reading M4A and AAC': ['node-web-audio-api'],
  playback: ['node-web-audio-api'],
  'running ONNX models': ['onnxruntime-node'],
  'sending traces': [
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace-node',
    '@opentelemetry/exporter-trace-otlp-proto',
    '@opentelemetry/exporter-trace-otlp-http',
  ],
  'reading DOCX': ['mammoth'],
  'reading PDF': ['pdfjs-dist'],
  'announcing svc to Home Assistant': ['@homebridge/ciao'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type OptionalFeature = keyof typeof optionalPackages;

/** Imports code that needs optional packages. @throws SvcError BACKEND_UNAVAILABLE with the command to install them */
export async function loadOptional<Loaded>(feature: OptionalFeature, load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (cause) {
    const names = optionalPackages[feature];
    if (!names.some((name) => isMissingPackage(cause, name))) throw cause;
    const remedy = `install ${names.length > 1 ? 'them' : 'it'} with: ${optionalCommand(names)}`;
    throw new SvcError('BACKEND_UNAVAILABLE', `${feature} needs ${names.join(' and ')}`, { cause, remedy });
  }
}

/** Whether an import failed because the package isn't installed, as opposed to one that doesn't load. */
export const isMissingPackage = (thrown: unknown, name: string): boolean =>
  (thrown as NodeJS.ErrnoException | undefined)?.code === 'ERR_MODULE_NOT_FOUND' &&
  messageOf(thrown).includes(`'${name}'`);

/** The version of an installed optional package, found as Node finds packages; `undefined` when it is missing. */
export function optionalVersion(name: string, root: string = findPackage().root): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const manifest = join(folder, 'node_modules', name, 'package.json');
    if (existsSync(manifest)) return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
    if (dirname(folder) === folder) return undefined;
  }
}

/** The command that installs optional packages, at the major versions that `package.json` names, or the exact ones. */
export function optionalCommand(names: readonly string[]): string {
  const { root, optional } = findPackage();
  const specifiers = names.map((name) => `${name}@${/^\d.*|\d+/.exec(optional[name] ?? '')?.[0] ?? 'latest'}`);
  return installCommand(specifiers.join(' '), root);
}
