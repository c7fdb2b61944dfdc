import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest runs tests in a separate realm, where typed arrays of a native addon are not `instanceof Float32Array`. This
 * environment shares the host's constructors.
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
