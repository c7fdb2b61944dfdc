/** Passes over a built graph that leave its results as they are. */
import { GraphBuilder, type Node, type Value } from './graph.ts';

export interface Optimized {
  /** Nodes taken out. */
  readonly removed: number;
}

/** Takes out copies of values and nodes whose results nobody reads; bodies of loops are left as they are. */
export function optimize(graph: GraphBuilder): Optimized {
  const before = graph.nodes.length;
  dropCopies(graph);
  dropUnread(graph);
  return { removed: before - graph.nodes.length };
}

const bodiesOf = (node: Node): GraphBuilder[] =>
  Object.values(node.attributes).filter((attribute): attribute is GraphBuilder => attribute instanceof GraphBuilder);

/** Every value that a node or one of its bodies reads. */
const readsOf = (node: Node): (Value | undefined)[] => [
  ...node.inputs,
  ...bodiesOf(node).flatMap((body) => [...body.nodes.flatMap(readsOf), ...body.outputs.map(({ value }) => value)]),
];

function dropCopies(graph: GraphBuilder): void {
  const isOutput = new Set(graph.outputs.map(({ value }) => value));
  const inBodies = new Set(
    graph.nodes.flatMap((node) => bodiesOf(node).flatMap((body) => body.nodes.flatMap(readsOf))),
  );
  const originals = new Map<Value, Value>();
  const kept = graph.nodes.flatMap((node): Node[] => {
    const inputs = node.inputs.map((value) => (value ? (originals.get(value) ?? value) : value));
    const [source] = inputs;
    const [copy] = node.outputs;
    const isCopy = node.operator === 'Identity' && source && copy && !isOutput.has(copy) && !inBodies.has(copy);
    if (!isCopy) return [{ ...node, inputs }];
    originals.set(copy, source);
    return [];
  });
  graph.nodes.splice(0, graph.nodes.length, ...kept);
}

function dropUnread(graph: GraphBuilder): void {
  const read = new Set<Value | undefined>(graph.outputs.map(({ value }) => value));
  const kept: Node[] = [];
  for (const node of graph.nodes.toReversed()) {
    if (!node.outputs.some((value) => read.has(value))) continue;
    for (const value of readsOf(node)) read.add(value);
    kept.push(node);
  }
  graph.nodes.splice(0, graph.nodes.length, ...kept.reverse());
}
