/** No regular expression takes quadratic or exponential time, which the counted work of tests/support/work.ts does not show. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from '@babel/parser';
import { beforeAll, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { analyse } from 'scslre';

const root = join(import.meta.dirname, '../..');
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join('src', path));
const sources = new Map(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]));

/** Quadratic ones that only see short texts, by what bounds these. */
const short: Readonly<Record<string, readonly RegExp[]>> = {
  'settings of the operator, and what the system says': [
    /(\S+): cannot open shared object file/,
    /^([^@]+?)--([^@]+)(?:@(.+))?$/,
    /([\d.]+)(ms|s|m|h)/g,
    /^Cpus_allowed_list:\s*(.*)$/m,
    /\/+$/,
    /\/\/.*@/,
  ],
  'digits of a number': [/[\d,.]+$/],
  'a few characters before a mark': [
    /[/\\=@]\S*$/u,
    /[\p{L}\p{N}.]*$/u,
    /(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Lao}\p{M}\p{N}.'’&°-]|(?<=\p{Script=Hebrew})["״׳])*$/u,
  ],
};
const isShort = new Set(Object.values(short).flat().map(String));
const isSuperlinear = ({ source, flags }: Pick<RegExp, 'source' | 'flags'>): boolean =>
  analyse({ source, flags }).reports.length > 0;

function literalsIn(node: object): readonly RegExp[] {
  const { type, pattern, flags } = node as Record<string, string>;
  if (type === 'RegExpLiteral') return [new RegExp(pattern ?? '', flags)];
  return Object.entries(node).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && key !== 'loc' ? literalsIn(value) : [],
  );
}

/** Where a literal may begin: behind an operator or a word of the language. */
const beginning = /(?:^|[(,=:[!&|?{};>+]|\b(?:return|case|typeof|await|yield|of|in|do|else))\s*\/(?![/*])/m;

const literals: { readonly path: string; readonly expression: RegExp }[] = [];
beforeAll(() => {
  for (const [path, source] of sources) {
    if (!beginning.test(source)) continue;
    for (const expression of literalsIn(
      parse(source, { sourceType: 'module', plugins: ['typescript'], attachComment: false }).program,
    )) {
      literals.push({ path, expression });
    }
  }
});

it('finds those that take quadratic or exponential time', () => {
  expect([/(a*)*b/, /a+b/, /a*a*b/, /\s+$/].map(isSuperlinear)).toEqual([true, true, true, true]);
  expect([/a+/g, /^a*$/, /^a{1,9}b/, /\s/].map(isSuperlinear)).toEqual([false, false, false, false]);
});

it('literals are linear, or see only short texts', () => {
  expect(literals.length).toBeGreaterThan(2_000);
  const superlinear = literals.filter(({ expression }) => isSuperlinear(expression));
  const others = superlinear.filter(({ expression }) => !isShort.has(String(expression)));
  expect(others.map(({ path, expression }) => `${path}: ${expression}`)).toEqual([]);
  const found = new Set(superlinear.map(({ expression }) => String(expression)));
  expect([...isShort].filter((text) => !found.has(text))).toEqual([]);
});

it('those built at the start are linear', async () => {
  const built = [...sources].filter(([, source]) => /new RegExp\(/.test(source)).map(([path]) => path);
  const made: RegExp[] = [];
  const record = (...[source, flags]: ConstructorParameters<typeof RegExp>): RegExp => {
    made.push(new RegExp(source, flags));
    return made.at(-1) as RegExp;
  };
  const folder = await mkdtemp(join(root, 'node_modules/svc-expressions-'));
  try {
    const outfile = join(folder, 'copy.mjs');
    buildSync({
      stdin: { contents: built.map((path) => `import './${path}';`).join('\n'), resolveDir: root },
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      define: { RegExp: 'globalThis.recordedRegExp' },
      outfile,
    });
    Object.assign(globalThis, {
      recordedRegExp: new Proxy(RegExp, { construct: (_, values) => record(...(values as [string, string])) }),
    });
    await import(pathToFileURL(outfile).href);
  } finally {
    Reflect.deleteProperty(globalThis, 'recordedRegExp');
    await rm(folder, { recursive: true });
  }
  expect(made.length).toBeGreaterThan(40);
  expect(made.filter(isSuperlinear).map(String)).toEqual([]);
});
