/** Optimization passes that do not change results. */
import { amendGraph, amendNode, bodiesOf, type GraphDraft, readsOf } from './graph-draft.ts';
import type { GraphProto, NodeProto } from './schema.ts';

/** Removes copies of values, unused nodes and unused weights. */
export function dropUseless(draft: GraphDraft): GraphDraft {
  const node = dropUnread(draft.graph, dropCopies(draft.graph));
  const read = new Set(node.flatMap(readsOf));
  const initializer = draft.graph.initializer.filter(({ name }) => read.has(name));
  return {
    ...draft,
    graph: amendGraph(draft.graph, { node, initializer }),
    weights: new Map([...draft.weights].filter(([name]) => read.has(name))),
  };
}

/** Leaves loop bodies and the values that they read unchanged. */
function dropCopies({ node, output }: GraphProto): NodeProto[] {
  const kept = new Set([
    ...output.map(({ name }) => name),
    ...node.flatMap((each) => bodiesOf(each).flatMap(bodyReads)),
  ]);
  const originals = new Map<string, string>();
  return node.flatMap((each): NodeProto[] => {
    const input = each.input.map((name) => originals.get(name) ?? name);
    const [source] = input;
    const [copy] = each.output;
    const isCopy = each.opType === 'Identity' && each.domain === '' && source && copy && !kept.has(copy);
    if (!isCopy) return [amendNode(each, { input })];
    originals.set(copy, source);
    return [];
  });
}

const bodyReads = (body: GraphProto): string[] => [
  ...body.node.flatMap(readsOf),
  ...body.output.map(({ name }) => name),
];

function dropUnread({ output }: GraphProto, nodes: readonly NodeProto[]): NodeProto[] {
  const read = new Set(output.map(({ name }) => name));
  const kept: NodeProto[] = [];
  for (const node of nodes.toReversed()) {
    if (!node.output.some((name) => read.has(name))) continue;
    for (const name of readsOf(node)) read.add(name);
    kept.push(node);
  }
  return kept.reverse();
}
