import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { openWebRuntime } from '../../../src/web/local/onnx-web.ts';

afterEach(() => {
  jest.restoreAllMocks();
  Reflect.deleteProperty(globalThis, 'navigator');
});

describe('an unsupported browser', () => {
  it('is refused without WebAssembly SIMD', async () => {
    jest.spyOn(WebAssembly, 'validate').mockReturnValue(false);
    await expect(openWebRuntime('auto', 'http://site.test/ort/')).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringMatching(/^this browser has no WebAssembly SIMD; use a version from 2023 or later$/),
    });
  });

  it.each([
    ['no WebGPU', {}],
    ['no adapter', { gpu: { requestAdapter: async () => null } }],
    ['an adapter that fails', { gpu: { requestAdapter: () => Promise.reject(new Error('lost')) } }],
  ])('is refused if WebGPU was requested and there is %s', async (_, navigator) => {
    Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
    await expect(openWebRuntime('webgpu', 'http://site.test/ort/')).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringMatching(/WebGPU; choose WebAssembly$/),
    });
  });
});
