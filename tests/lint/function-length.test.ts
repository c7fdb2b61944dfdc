import { readdirSync, readFileSync } from 'node:fs';
import { parse } from '@babel/parser';
import { expect, it } from '@jest/globals';

const mostLines = 120;

/** Comment of a function that is read as a whole, such as a table, and so may be longer; the reason follows. */
const justified = /Long on purpose: \S/;

interface Node {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number }; readonly end: { readonly line: number } };
  readonly leadingComments?: readonly { readonly value: string }[];
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';
const isFunction = ({ type }: Node): boolean =>
  /^(?:Function(?:Declaration|Expression)|ArrowFunctionExpression|ObjectMethod|Class(?:Private)?Method)$/.test(type);

/** Functions that are too long, as their first lines with their lengths. */
function longFunctions(path: string, source: string): readonly string[] {
  const found: string[] = [];
  if (source.split('\n').length <= mostLines) return found;
  const walk = (node: Node, comments: string): void => {
    const above = comments + (node.leadingComments ?? []).map(({ value }) => value).join(' ');
    const { start, end } = node.loc;
    const lines = end.line - start.line + 1;
    if (lines <= mostLines) return;
    const isLong = isFunction(node) && !justified.test(above);
    if (isLong) found.push(`${path}:${start.line}: ${lines} lines`);
    for (const [name, value] of Object.entries(node)) {
      if (/comments$/i.test(name)) continue;
      // The comment of a statement is that of the function in it.
      for (const child of [value].flat())
        if (isNode(child)) walk(child, /Statement|Program/.test(node.type) ? '' : above);
    }
  };
  walk(
    parse(source, { sourceType: 'module', plugins: ['typescript', 'explicitResourceManagement'] }).program as Node,
    '',
  );
  return found;
}

it(`has no function of more than ${mostLines} lines without a reason`, () => {
  const found = ['src', 'export', 'bench', 'scripts'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:[cm]?js|tsx?)$/.test(name))
      .flatMap((name) => longFunctions(`${folder}/${name}`, readFileSync(`${folder}/${name}`, 'utf8'))),
  );
  expect(found).toEqual([]);
});

it('finds functions of every kind that are too long', () => {
  const body = `{${'\n'.repeat(mostLines)}}`;
  const kinds = [
    `function a() ${body}`,
    `export const a = () => ${body};`,
    `class A { #a() ${body} }`,
    `const a = { b() ${body} };`,
  ];
  expect(kinds.map((source) => longFunctions('a.ts', source))).toEqual(kinds.map(() => ['a.ts:1: 121 lines']));
  const reason = '/** Samples. Long on purpose: a table. */';
  expect(kinds.slice(0, 2).map((source) => longFunctions('a.ts', `${reason}\n${source}`))).toEqual([[], []]);
  expect(longFunctions('a.ts', `function a() {${'\n'.repeat(mostLines - 1)}}`)).toEqual([]);
});
