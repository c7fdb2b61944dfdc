/** Converts built graphs to messages of the official ONNX schema (`schema.ts`). */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type Attribute,
  type Constant,
  elementTypes,
  type GraphBuilder,
  type TypedValue,
  type Weight,
} from './graph.ts';
import { amendGraph, type GraphDraft, withBodies } from './graph-draft.ts';
import {
  type AttributeProtoSchema,
  AttributeProto_AttributeType as AttributeType,
  type GraphProto,
  GraphProtoSchema,
  type ModelProto,
  ModelProtoSchema,
  TensorProto_DataLocation,
  TensorProtoSchema,
  type ValueInfoProtoSchema,
} from './schema.ts';

/** Operator set of the nodes and the matching IR version of the file. */
const operatorSet = 21;
const irVersion = 10;

type TensorInit = MessageInitShape<typeof TensorProtoSchema>;

/** The position of a weight in the weight file. */
export interface Placement {
  readonly location: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Converts the graph of a builder, without weights. */
export const toGraphProto = (builder: GraphBuilder): GraphProto =>
  graphProto(builder, builder.constants.map(constantProto));

/** Converts the whole file, with weights at the positions given by `place`. */
export function toModelProto(
  { graph, weights, metadata }: Pick<GraphDraft, 'graph' | 'weights' | 'metadata'>,
  place: (weight: Weight) => Placement,
  version: string,
): ModelProto {
  const initializer = [
    ...graph.initializer,
    ...Array.from(weights, ([name, weight]) => create(TensorProtoSchema, weightProto(name, weight, place(weight)))),
  ];
  return modelProto(amendGraph(graph, { initializer }), metadata, version);
}

/** Wraps a graph as a self-contained file. */
export function modelProto(graph: GraphProto, metadata: GraphDraft['metadata'], version: string): ModelProto {
  const nodes = withBodies(graph).flatMap(({ node }) => node);
  const domains = new Set(['', ...nodes.map(({ domain }) => domain)]);
  return create(ModelProtoSchema, {
    irVersion: BigInt(irVersion),
    producerName: 'svc',
    producerVersion: version,
    docString: graph.docString,
    opsetImport: [...domains].map((domain) => ({ domain, version: BigInt(domain === '' ? operatorSet : 1) })),
    metadataProps: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    graph,
  });
}

const isGraph = (attribute: Attribute): attribute is GraphBuilder =>
  typeof attribute === 'object' && 'nodes' in attribute;

function graphProto(graph: GraphBuilder, initializer: TensorInit[] = []): GraphProto {
  return create(GraphProtoSchema, {
    initializer,
    name: graph.name,
    docString: graph.description,
    node: graph.nodes.map(({ operator, domain, inputs, outputs, attributes }) => ({
      opType: operator,
      domain,
      name: outputs[0]?.name ?? '',
      input: inputs.map((value) => value?.name ?? ''),
      output: outputs.map(({ name }) => name),
      attribute: Object.entries(attributes).map(([name, value]) => attributeProto(name, value)),
    })),
    input: graph.inputs.map(valueInfo),
    output: graph.outputs.map(valueInfo),
  });
}

function attributeProto(name: string, value: Attribute): MessageInitShape<typeof AttributeProtoSchema> {
  if (typeof value === 'number') return { name, type: AttributeType.INT, i: BigInt(value) };
  if (typeof value === 'string') return { name, type: AttributeType.STRING, s: new TextEncoder().encode(value) };
  if (isGraph(value)) return { name, type: AttributeType.GRAPH, g: graphProto(value) };
  if ('float' in value) return { name, type: AttributeType.FLOAT, f: value.float };
  return { name, type: AttributeType.INTS, ints: value.map(BigInt) };
}

export const valueInfo = ({ value, type, shape }: TypedValue): MessageInitShape<typeof ValueInfoProtoSchema> => ({
  name: value.name,
  type: {
    value: {
      case: 'tensorType',
      value: {
        elemType: elementTypes[type],
        shape: {
          dim: shape.map((length) =>
            typeof length === 'number'
              ? { value: { case: 'dimValue', value: BigInt(length) } }
              : { value: { case: 'dimParam', value: length } },
          ),
        },
      },
    },
  },
});

const constantProto = ({ value, type, shape, bytes }: Constant): TensorInit => ({
  name: value.name,
  dataType: elementTypes[type],
  dims: shape.map(BigInt),
  rawData: bytes,
});

const weightProto = (name: string, { type, shape }: Weight, { location, offset, bytes }: Placement): TensorInit => ({
  name,
  dataType: elementTypes[type],
  dims: shape.map(BigInt),
  dataLocation: TensorProto_DataLocation.EXTERNAL,
  externalData: [
    { key: 'location', value: location },
    { key: 'offset', value: String(offset) },
    { key: 'length', value: String(bytes) },
  ],
});
