import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  TensorProto_DataType as DataType,
  type GraphProto,
  type ModelProto,
  ModelProtoSchema,
  type NodeProto,
} from '../../../export/onnx/schema.ts';

export const parseModel = (bytes: Uint8Array): ModelProto => fromBinary(ModelProtoSchema, bytes);

/** The graph and its bodies. */
function graphsOf(graph: GraphProto): GraphProto[] {
  const bodies = graph.node.flatMap(({ attribute }) => attribute.flatMap(({ g }) => (g ? graphsOf(g) : [])));
  return [graph, ...bodies];
}

/** Outer values that a node's bodies read. */
function outerValues(node: NodeProto): string[] {
  return node.attribute.flatMap(({ g }) => {
    if (!g) return [];
    const own = new Set([...g.input.map(({ name }) => name), ...g.node.flatMap(({ output }) => output)]);
    return g.node.flatMap((each) => [...each.input, ...outerValues(each)]).filter((name) => !own.has(name));
  });
}

/**
 * Extracts the part between two sets of values as a separate model that uses the same weights. Loop bodies count as parts
 * of the graph, since names of values are unique across all of them.
 */
export function extract(model: ModelProto, inputs: readonly string[], outputs: readonly string[]): Uint8Array {
  const graph = model.graph;
  if (!graph) throw new Error('the model has no graph');
  const graphs = graphsOf(graph);
  const producers = new Map(
    graphs.flatMap(({ node }) => node.flatMap((each) => each.output.map((name) => [name, each] as const))),
  );
  const declared = new Map(graphs.flatMap(({ input }) => input.map((value) => [value.name, value] as const)));
  const constants = new Map(
    graphs.flatMap(({ initializer }) => initializer.map((tensor) => [tensor.name, tensor] as const)),
  );
  const nodes = new Set<NodeProto>();
  const used = new Set<string>();
  const visit = (name: string): void => {
    if (name === '' || used.has(name)) return;
    used.add(name);
    if (inputs.includes(name) || constants.has(name)) return;
    const producer = producers.get(name);
    if (!producer) throw new Error(`nothing computes ${name} from ${inputs.join(', ')}`);
    for (const input of [...producer.input, ...outerValues(producer)]) visit(input);
    nodes.add(producer);
  };
  for (const name of outputs) visit(name);
  const float = (name: string) => ({
    name,
    type: { value: { case: 'tensorType', value: { elemType: DataType.FLOAT } } as const },
  });
  return toBinary(
    ModelProtoSchema,
    create(ModelProtoSchema, {
      irVersion: model.irVersion,
      opsetImport: model.opsetImport,
      graph: {
        name: 'extract',
        node: [...nodes],
        input: inputs.filter((name) => used.has(name)).map((name) => declared.get(name) ?? float(name)),
        output: outputs.map(float),
        initializer: [...constants.values()].filter(({ name }) => used.has(name)),
      },
    }),
  );
}
