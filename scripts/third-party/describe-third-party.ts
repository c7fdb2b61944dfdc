import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { type Content, contents, copied, extracted, licenses, missingTexts } from './contents.ts';

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
}

interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

const copyleft = /GPL|MPL/;

/** Packages that esbuild bundled. */
export interface Bundles {
  /** `dist/packages` */
  readonly inlined: Metafile;
  /** `dist/web/local` and `dist/web/playground` */
  readonly pages: readonly Metafile[];
}

/**
 * Generates THIRD_PARTY.md: software copied into the package, with license texts, and packages that npm installs with it.
 * Based on `package-lock.json`, so it is the same on every platform.
 *
 * @param root project folder with installed packages
 */
export async function describeThirdParty(root: string, { inlined, pages }: Bundles): Promise<string> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const installed = uniqueDependencies(Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev));
  const find = (name: string): Dependency => {
    const locked = lock.packages[`node_modules/${name}`];
    if (locked === undefined) throw new Error(`package-lock.json has no ${name}, which is bundled`);
    return toDependency(name, locked);
  };
  const inPackages = bundledPackages(inlined);
  const inPages = [...new Set([...pages.flatMap(bundledPackages), ...copied])].sort();
  const bundled = [...new Set([...inPackages, ...inPages, ...extracted])].sort().map(find);
  const all = [...installed, ...bundled];
  const sections = [
    introduction,
    '## Copies in this package',
    'In `dist/packages`, for Node:',
    listPackages(inPackages.map(find)),
    'In `dist/web`, and in the static page of `npm run build:local`:',
    listPackages(inPages.map(find)),
    'Data in modules of svc:',
    listPackages(extracted.map(find)),
    nativeAddon,
    '## Compiled libraries in packages',
    table(
      ['package', 'contains', 'sources'],
      contents.flatMap((content) => describeContent(content, all)),
    ),
    '## Under the LGPL, GPL or MPL',
    replacing,
    list(
      all
        .filter(({ license }) => copyleft.test(license))
        .map(({ name, version, license }) => `${name} ${version}: ${license}`),
    ),
    '## Installed by npm with svc',
    'For all platforms; each package contains its own license.',
    ...byLicense(installed),
    '## License texts',
    ...(await licenseTexts(root, bundled)),
  ];
  return `${sections.join('\n\n')}\n`;
}

const introduction = `# Third-party software

svc itself is under Apache-2.0 ([LICENSE](LICENSE)). It uses the software below. \`npm run third-party\` writes this file; \`npm test\` fails when it is out of date.`;

const nativeAddon = `The prebuilt native addon in \`native/prebuilds\` is compiled with the headers of node-addon-api (MIT) and ggml (MIT). Those of releases for Linux contain ggml itself, and those for musl also musl's startup code (MIT). One compiled on Linux by \`npm pack\` contains parts of libstdc++ (GPL-3.0 with the GCC Runtime Library Exception, which doesn't affect svc's own license). The demo model and its voices are part of svc.`;

const replacing = `svc doesn't change these libraries. Each is in separate files: a package in \`node_modules\`, a file of \`dist/packages\` whose comments name it, or \`libav-*.wasm.mjs\` and \`libav-*.wasm.wasm\` there and next to the page. The npm registry has their sources under the same name and version. You can replace any of them with your own build that has the same interface.`;

function uniqueDependencies(entries: readonly (readonly [path: string, locked: Locked])[]): readonly Dependency[] {
  const found = entries.map(([path, locked]) => toDependency(path.replace(/^.*node_modules\//, ''), locked));
  const byId = new Map(found.map((dependency) => [`${dependency.name}@${dependency.version}`, dependency]));
  return [...byId.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, dependency]) => dependency);
}

function toDependency(name: string, { version, license = licenses[name] }: Locked): Dependency {
  if (license === undefined) throw new Error(`package-lock.json names no license of ${name}; add it to contents.ts`);
  return { name, version, license: license.replace(/^\((.+)\)$/, '$1') };
}

/** Packages with code in the output. */
function bundledPackages({ outputs }: Metafile): readonly string[] {
  const paths = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const names = paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

function describeContent(content: Content, all: readonly Dependency[]): readonly (readonly string[])[] {
  const matching = all.filter(({ name }) => name.startsWith(content.package));
  const versions = [...new Set(matching.map(({ version }) => version))];
  return versions.map((version) => {
    const names = [...new Set(matching.filter((one) => one.version === version).map(({ name }) => name))];
    return [names.join(', '), content.contains, content.sources.replaceAll('VERSION', version)];
  });
}

function byLicense(dependencies: readonly Dependency[]): readonly string[] {
  const found = [...new Set(dependencies.map(({ license }) => license))].sort();
  return found.map((license) => {
    const members = dependencies.filter((one) => one.license === license);
    const names = members.map(({ name, version }) => `${name} ${version}`);
    return `**${license}** (${members.length}): ${names.join(', ')}`;
  });
}

/** License texts of software copied into the package. */
async function licenseTexts(root: string, bundled: readonly Dependency[]): Promise<readonly string[]> {
  const texts = await Promise.all(
    bundled.map(async ({ name }) => ({ name, text: await licenseText(join(root, 'node_modules', name), name) })),
  );
  const addon = [
    { name: 'node-addon-api', text: await licenseText(join(root, 'node_modules', 'node-addon-api'), 'node-addon-api') },
    { name: 'ggml', text: await readFile(join(root, 'native', 'ggml', 'LICENSE'), 'utf8') },
  ];
  const byText = new Map<string, string[]>();
  for (const { name, text } of [...texts, ...addon]) {
    const normal = text.replace(/\r\n?/g, '\n').trim();
    byText.set(normal, [...(byText.get(normal) ?? []), name]);
  }
  return [...byText].map(([text, names]) => `### ${names.join(', ')}\n\n\`\`\`text\n${text}\n\`\`\``);
}

async function licenseText(folder: string, name: string): Promise<string> {
  const file = (await readdir(folder)).find((found) => /^licen[cs]e(-mit)?(\.(md|txt))?$/i.test(found));
  if (file !== undefined) return readFile(join(folder, file), 'utf8');
  const text = missingTexts[name] ?? (await headerOfLibav(folder));
  if (text === undefined) throw new Error(`${name} has no license file; add its text to contents.ts`);
  return text;
}

/** libav.js lists the licenses of its contents at the start of its scripts. */
async function headerOfLibav(folder: string): Promise<string | undefined> {
  const names = await readdir(join(folder, 'dist')).catch((): string[] => []);
  const script = names.find((name) => /^libav-[\d.]+-\w+\.wasm\.mjs$/.test(name));
  if (script === undefined) return undefined;
  const comment = /^\/\*!\n(.*?)\*\//s.exec(await readFile(join(folder, 'dist', script), 'utf8'))?.[1];
  return comment?.replace(/^ \* ?/gm, '');
}

const listPackages = (packages: readonly Dependency[]): string =>
  table(
    ['package', 'version', 'licence'],
    packages.map(({ name, version, license }) => [name, version, license]),
  );

const list = (items: readonly string[]): string => [...new Set(items)].map((item) => `- ${item}`).join('\n');

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
