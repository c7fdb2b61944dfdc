import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest runs tests in a realm of its own, where a typed array made by a native addon is not
 * `instanceof Float32Array`. Sharing the host's constructors makes both realms agree.
 */
export default class HostTypedArrays extends TestEnvironment {
  async setup() {
    await super.setup();
    for (const shared of [
      ArrayBuffer,
      SharedArrayBuffer,
      DataView,
      Uint8Array,
      Uint8ClampedArray,
      Uint16Array,
      Uint32Array,
      Int8Array,
      Int16Array,
      Int32Array,
      BigInt64Array,
      BigUint64Array,
      Float32Array,
      Float64Array,
    ]) {
      this.global[shared.name] = shared;
    }
  }
}
