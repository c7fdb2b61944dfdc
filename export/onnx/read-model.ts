/** Describes an ONNX file: interface, operators and tensors. Does not read external weights. */
import { readFile, stat } from 'node:fs/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { SvcError } from '../../src/errors.ts';
import { withBodies } from './graph-draft.ts';
import {
  TensorProto_DataType as DataType,
  type ModelProto,
  ModelProtoSchema,
  type TensorProto,
  type ValueInfoProto,
} from './schema.ts';

export interface OnnxTensorInfo {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
  /** The file of external values. */
  readonly location?: string;
}

export interface OnnxDescription {
  readonly producer: string;
  readonly irVersion: number;
  readonly description: string;
  /** Versions of operator sets by domain. */
  readonly operatorSets: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly inputs: readonly OnnxTensorInfo[];
  readonly outputs: readonly OnnxTensorInfo[];
  /** Number of nodes by operator, those of loop bodies included. */
  readonly operators: Readonly<Record<string, number>>;
  readonly tensors: readonly OnnxTensorInfo[];
}

/** Maximum size; protobuf is limited to 2 GB, and large models have external weights. */
const largestFile = 1024 * 1024 * 1024;

/** @throws SvcError MODEL_INVALID */
export async function readOnnxModel(path: string): Promise<ModelProto> {
  const { size } = await stat(path);
  if (size > largestFile) {
    throw new SvcError('MODEL_INVALID', `${path} is larger than the limit of 1 GiB (${size} bytes)`);
  }
  try {
    const model = fromBinary(ModelProtoSchema, await readFile(path));
    if (model.graph && model.irVersion > 0n) return model;
  } catch (cause) {
    throw new SvcError('MODEL_INVALID', `${path} is not an ONNX file`, { cause });
  }
  throw new SvcError('MODEL_INVALID', `${path} is not an ONNX file: it contains no graph`);
}

const typeName = (type: number): string => DataType[type]?.toLowerCase() ?? String(type);

function describeValue({ name, type }: ValueInfoProto): OnnxTensorInfo {
  if (type?.value.case !== 'tensorType') return { name, type: type?.value.case ?? 'unknown', shape: [] };
  const { elemType, shape } = type.value.value;
  const lengths = shape?.dim.map(({ value }) =>
    value.case === 'dimValue' ? Number(value.value) : (value.value ?? '?'),
  );
  return { name, type: typeName(elemType), shape: lengths ?? [] };
}

function describeTensor({ name, dataType, dims, externalData }: TensorProto): OnnxTensorInfo {
  const location = externalData.find(({ key }) => key === 'location')?.value;
  return { name, type: typeName(dataType), shape: dims.map(Number), ...(location === undefined ? {} : { location }) };
}

/** @throws SvcError MODEL_INVALID */
export async function describeOnnx(path: string): Promise<OnnxDescription> {
  const { graph, producerName, producerVersion, irVersion, docString, opsetImport, metadataProps } =
    await readOnnxModel(path);
  const operators: Record<string, number> = {};
  for (const { domain, opType } of graph ? withBodies(graph).flatMap(({ node }) => node) : []) {
    const name = domain === '' ? opType : `${domain}.${opType}`;
    operators[name] = (operators[name] ?? 0) + 1;
  }
  return {
    producer: `${producerName} ${producerVersion}`.trim(),
    irVersion: Number(irVersion),
    description: docString || (graph?.docString ?? ''),
    operatorSets: Object.fromEntries(opsetImport.map(({ domain, version }) => [domain || 'ai.onnx', Number(version)])),
    metadata: Object.fromEntries(metadataProps.map(({ key, value }) => [key, value])),
    inputs: graph?.input.map(describeValue) ?? [],
    outputs: graph?.output.map(describeValue) ?? [],
    operators,
    tensors: graph?.initializer.map(describeTensor) ?? [],
  };
}
