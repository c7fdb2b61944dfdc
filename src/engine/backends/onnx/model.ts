/** A loaded ONNX model of any layout. */
import type { MetadataValue, ModelInfo } from '../../backend.ts';
import { HandleBackend } from '../handle-backend.ts';
import type { ModelPort } from '../model-port.ts';
import type { OnnxDevice } from './runtime.ts';

export interface OnnxModelOptions {
  readonly directory: string;
  readonly device: OnnxDevice;
  readonly threads: number;
}

export interface OnnxModel extends ModelPort {
  readonly info: ModelInfo;
  readonly metadata: ReadonlyMap<string, MetadataValue>;
}

export const createOnnxBackend = (model: OnnxModel): HandleBackend<OnnxModel> =>
  new HandleBackend(model, { info: model.info, metadata: (key) => model.metadata.get(key) });
