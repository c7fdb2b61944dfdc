/** A graph on its way to a file: what the passes between building and writing work on. */
import { create } from '@bufbuild/protobuf';
import type { Weight } from './graph.ts';
import { elementTypes } from './graph.ts';
import {
  type AttributeProto,
  AttributeProto_AttributeType,
  AttributeProtoSchema,
  type GraphProto,
  GraphProtoSchema,
  type NodeProto,
  NodeProtoSchema,
} from './schema.ts';

export interface GraphDraft {
  /** Name of the file. */
  readonly file: string;
  /** Nodes, interface and small constants. Weights are read by name and are not among the initializers. */
  readonly graph: GraphProto;
  /** By name, in the order of the file beside the graph. */
  readonly weights: ReadonlyMap<string, Weight>;
  /** What the file says of itself: `layout`, `types`, `optimized`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** The bodies of the loops among the nodes of a graph. */
export const bodiesOf = ({ attribute }: NodeProto): GraphProto[] => attribute.flatMap(({ g }) => (g ? [g] : []));

/** A graph and all bodies inside it. */
export const withBodies = (graph: GraphProto): GraphProto[] => [
  graph,
  ...graph.node.flatMap((node) => bodiesOf(node).flatMap(withBodies)),
];

/** Every name that a node or one of its bodies reads. */
export const readsOf = (node: NodeProto): string[] => [
  ...node.input,
  ...bodiesOf(node).flatMap((body) => [...body.node.flatMap(readsOf), ...body.output.map(({ name }) => name)]),
];

export const castToFloat = (input: string, output: string): NodeProto =>
  create(NodeProtoSchema, {
    opType: 'Cast',
    name: `${output}.cast`,
    input: [input],
    output: [output],
    attribute: [integerAttribute('to', elementTypes.float32)],
  });

/** A node with some fields changed; spreading alone loses what messages inherit. */
export const amendNode = (node: NodeProto, changes: Partial<NodeProto>): NodeProto =>
  Object.assign(create(NodeProtoSchema), node, changes);

export const amendGraph = (graph: GraphProto, changes: Partial<GraphProto>): GraphProto =>
  Object.assign(create(GraphProtoSchema), graph, changes);

/** A node with each of its bodies changed. */
export const amendBodies = (node: NodeProto, change: (body: GraphProto) => GraphProto): NodeProto =>
  amendNode(node, {
    attribute: node.attribute.map((attribute) =>
      attribute.g ? Object.assign(create(AttributeProtoSchema), attribute, { g: change(attribute.g) }) : attribute,
    ),
  });

export const integerAttribute = (name: string, value: number): AttributeProto =>
  create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.INT, i: BigInt(value) });
