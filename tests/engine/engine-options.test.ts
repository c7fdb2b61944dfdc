import { describe, expect, it } from '@jest/globals';
import { parseEngineOptions } from '../../src/engine/engine-options.ts';
import { errorOf } from '../support/errors.ts';

describe('parseEngineOptions', () => {
  it('fills in the defaults', () => {
    expect(parseEngineOptions({})).toEqual({ backend: 'auto', ditType: 'auto', maxBatch: 8 });
  });

  it.each([
    [
      { backend: 'tpu' },
      'backend must be one of cpu, cuda, ggml-cuda, vulkan, metal, coreml, webgpu, auto, got "tpu"; did you mean "cpu"?',
    ],
    [{ threads: 0 }, 'threads must be an integer from 1 to 1024, got 0'],
    [{ modelPath: '' }, 'modelPath must be the path of a .gguf file or an ONNX folder, got ""'],
    [{ maxBatch: 0 }, 'maxBatch must be an integer from 1 to 256, got 0'],
    [{ device: 'cpu' }, 'device must be the number of a GPU, or "all", got "cpu"'],
    [{ device: 1.5 }, 'device must be the number of a GPU, or "all", got 1.5'],
    [{ gpu: 1 }, 'unknown field "gpu" in the engine'],
  ])('%j: %s', (options, message) => {
    expect(() => parseEngineOptions(options)).toThrow(errorOf('INVALID_REQUEST', message));
  });
});
