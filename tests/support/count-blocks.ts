import { parse } from '@babel/parser';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: unknown;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';
const runsOften = /Function|Method|^(?:For|While|DoWhile)/;

/**
 * A module with statements in its functions and loops that count, in `units` of its export `$executed`, the characters of
 * source that run: each call and each round of a loop counts those of its body, without functions and loops within.
 */
export function countBlocks(source: string): string {
  const inserted: (readonly [at: number, text: string])[] = [];
  /** Returns the characters of functions and loops in the node. */
  const visit = (node: Node): number => {
    let within = 0;
    for (const key in node) {
      const value = node[key as keyof Node] as unknown;
      if (Array.isArray(value)) for (const child of value) within += isNode(child) ? visit(child) : 0;
      else if (isNode(value)) within += visit(value);
    }
    const { type, body } = node;
    if (!runsOften.test(type) || !isNode(body)) return within;
    const length = node.end - node.start;
    const count = `$executed.units += ${length - within}`;
    if (body.type === 'BlockStatement') inserted.push([body.start + 1, `${count};`]);
    else if (type.includes('Function')) inserted.push([body.start, `(${count}, `], [body.end, ')']);
    else inserted.push([body.start, `{${count};`], [body.end, '}']);
    return length;
  };
  visit(parse(source, { sourceType: 'module', attachComment: false }).program as Node);
  inserted.sort(([one], [other]) => one - other);
  let counting = 'export const $executed = { units: 0 };\n';
  let end = 0;
  for (const [at, text] of inserted) {
    counting += source.slice(end, at) + text;
    end = at;
  }
  return counting + source.slice(end);
}
