/** Which kernels are used on a processor, by what it reports. The registers are made up of the bits of real processors. */
import { expect, it } from '@jest/globals';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';

const { bestKernels } = await loadAddon();

const bits = (...positions: readonly number[]): number => positions.reduce((sum, bit) => sum + 2 ** bit, 0);
const intel = { '0.ebx': 0x756e6547, '0.edx': 0x49656e69, '0.ecx': 0x6c65746e };
const amd = { '0.ebx': 0x68747541, '0.edx': 0x69746e65, '0.ecx': 0x444d4163 };
const withAvx2 = { '1.ecx': bits(12, 27, 28, 29), '7.ebx': bits(5), xcr0: bits(0, 1, 2) };
const withAvx512 = { ...withAvx2, '7.ebx': bits(5, 16, 17, 30, 31), '7.ecx': bits(11), xcr0: bits(0, 1, 2, 5, 6, 7) };
const withBfloat16 = { ...withAvx512, '7.1.eax': bits(4, 5) };
const withAmx = { ...withBfloat16, '7.edx': bits(22, 24, 25), xcr0: bits(0, 1, 2, 5, 6, 7, 17, 18) };
const family = { cooperLake: 0x5065b, sapphireRapids: 0x806f8, zen4: 0xa10f11, newFamily: 0x400f10 };

// The addon of a clone tells it; other architectures have no such registers.
const choose = process.arch === 'x64' ? it : it.skip;

choose.each([
  ['Haswell', { ...intel, ...withAvx2, '1.eax': 0x306c3 }, 'avx2'],
  ['Alder Lake', { ...intel, ...withAvx2, '1.eax': 0x90672, '7.1.eax': bits(4) }, 'avx_vnni'],
  ['Ice Lake', { ...intel, ...withAvx512, '1.eax': 0x606a6 }, 'avx512'],
  ['Cooper Lake', { ...intel, ...withBfloat16, '1.eax': family.cooperLake }, 'avx512'],
  ['Sapphire Rapids', { ...intel, ...withAmx, '1.eax': family.sapphireRapids }, 'amx'],
  [
    'Sapphire Rapids, no system for tiles',
    { ...intel, ...withAmx, '1.eax': family.sapphireRapids, xcr0: withAvx512.xcr0 },
    'avx512',
  ],
  [
    'Sapphire Rapids, a hypervisor without int8 tiles',
    { ...intel, ...withAmx, '1.eax': family.sapphireRapids, '7.edx': bits(22, 24) },
    'avx512',
  ],
  ['a later family of Intel, no tiles', { ...intel, ...withBfloat16, '1.eax': family.newFamily }, 'avx512_bf16'],
  ['Zen 4', { ...amd, ...withBfloat16, '1.eax': family.zen4 }, 'avx512_bf16'],
  ['Zen 4, no system for AVX-512', { ...amd, ...withBfloat16, '1.eax': family.zen4, xcr0: bits(0, 1, 2) }, 'avx_vnni'],
  ['Nehalem', { ...intel, '1.eax': 0x106a5, '1.ecx': 0 }, ''],
])('%s', (_, registers, kernels) => {
  expect(bestKernels?.(registers)).toBe(kernels);
});
