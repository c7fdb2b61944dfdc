/** A graph between building and writing, for optimization passes. */
import { create } from '@bufbuild/protobuf';
import { elementTypes, type Weight } from './graph.ts';
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
  /** File name. */
  readonly file: string;
  /** Nodes, interface and small constants. Weights are separate and referenced by name. */
  readonly graph: GraphProto;
  /** Weights by name, in the order of the weight file. */
  readonly weights: ReadonlyMap<string, Weight>;
  /** Metadata of the file: `layout`, `types`, `optimized`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** The loop bodies of a node. */
export const bodiesOf = ({ attribute }: NodeProto): GraphProto[] => attribute.flatMap(({ g }) => (g ? [g] : []));

/** A graph and all nested bodies. */
export const withBodies = (graph: GraphProto): GraphProto[] => [
  graph,
  ...graph.node.flatMap((node) => bodiesOf(node).flatMap(withBodies)),
];

/** All names read by a node or its bodies. */
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

/** Copies a node with changes; spreading would lose inherited fields of messages. */
export const amendNode = (node: NodeProto, changes: Partial<NodeProto>): NodeProto =>
  Object.assign(create(NodeProtoSchema), node, changes);

export const amendGraph = (graph: GraphProto, changes: Partial<GraphProto>): GraphProto =>
  Object.assign(create(GraphProtoSchema), graph, changes);

/** Copies a node with changes to each of its bodies. */
export const amendBodies = (node: NodeProto, change: (body: GraphProto) => GraphProto): NodeProto =>
  amendNode(node, {
    attribute: node.attribute.map((attribute) =>
      attribute.g ? Object.assign(create(AttributeProtoSchema), attribute, { g: change(attribute.g) }) : attribute,
    ),
  });

export const integerAttribute = (name: string, value: number): AttributeProto =>
  create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.INT, i: BigInt(value) });
