import { afterEach, describe, it, jest } from '@jest/globals';
import { openWebRuntime } from '../../../src/web/local/onnx-web.ts';
import { expectError } from '../../support/errors.ts';

afterEach(() => {
  jest.restoreAllMocks();
  Reflect.deleteProperty(globalThis, 'navigator');
});

describe('an unsupported browser', () => {
  it('is refused without WebAssembly SIMD', async () => {
    jest.spyOn(WebAssembly, 'validate').mockReturnValue(false);
    await expectError(
      openWebRuntime('auto', 'http://site.test/ort/'),
      'BACKEND_UNAVAILABLE',
      /^this browser has no WebAssembly SIMD; use a version from 2023 or later$/,
    );
  });

  it.each([
    ['no WebGPU', {}],
    ['no adapter', { gpu: { requestAdapter: async () => null } }],
    ['an adapter that fails', { gpu: { requestAdapter: () => Promise.reject(new Error('lost')) } }],
  ])('is refused if WebGPU was requested and there is %s', async (_, navigator) => {
    Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
    const refused = openWebRuntime('webgpu', 'http://site.test/ort/');
    await expectError(refused, 'BACKEND_UNAVAILABLE', /WebGPU; choose WebAssembly$/);
  });
});
