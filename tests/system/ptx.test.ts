/**
 * The CUDA kernels as PTX, for each generation of cards: NVIDIA's assembler takes all of them, no register is spilled to
 * memory, and registers and static shared memory are as recorded. Delete `ptx/registers.txt` to record them anew.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';
import { sharedFolder } from '../support/test-folder.ts';

const root = process.cwd();
const executeFile = promisify(execFile);
const record = join(root, 'tests', 'system', 'ptx', 'registers.txt');
const assembler = join(process.env.PYTHONPATH ?? '', 'nvidia', 'cu13', 'bin', 'ptxas');

interface Pair {
  readonly card: string;
  readonly module: string;
}
/**
 * Cards that can run each module: the addon takes sm_90 from compute capability 9.0 on, and sm_90a, which has kernels of its
 * own, on 9.0 alone.
 */
const general: readonly Pair[] = [
  ...['sm_80', 'sm_86', 'sm_89', 'sm_90', 'sm_100', 'sm_120'].map((card) => ({ card, module: 'sm_80' })),
  ...['sm_90', 'sm_100', 'sm_120'].map((card) => ({ card, module: 'sm_90' })),
];
const ofHopper: readonly Pair[] = [{ card: 'sm_90a', module: 'sm_90a' }];
const modules = ['sm_80', 'sm_90', 'sm_90a'];
const nameOf = ({ card, module }: Pair): string => `${module} on ${card}`;

/** Kernels as the driver gets them: each with what all begin with, as native/cuda/card_kernels.cc splits the text. */
function splitKernels(text: string): ReadonlyMap<string, string> {
  const [head = '', ...kernels] = text.split('\n.visible .entry ');
  return new Map(kernels.map((kernel) => [kernel.split('(')[0] as string, `${head}\n.visible .entry ${kernel}`]));
}

const folder = sharedFolder();
beforeAll(async () => {
  await executeFile(process.execPath, [join(root, 'scripts', 'cuda-kernels.mjs'), folder]);
});

interface Use {
  readonly registers: number;
  readonly sharedBytes: number;
  readonly spilledBytes: number;
}

/** What each kernel uses, from the messages of the assembler. */
function usesOf(messages: string): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  for (const part of messages.split('Compiling entry function ').slice(1)) {
    const number = (pattern: RegExp): number => Number(pattern.exec(part)?.[1] ?? 0);
    const [, name = ''] = /^'(\w+)'/.exec(part) ?? [];
    uses.set(name, {
      registers: number(/Used (\d+) registers/),
      sharedBytes: number(/(\d+) bytes smem/),
      spilledBytes: number(/(\d+) bytes spill stores/) + number(/(\d+) bytes stack frame/),
    });
  }
  return uses;
}

/** Lines with what each kernel uses on each card. @throws Error where registers are spilled */
async function assemble(pairs: readonly Pair[]): Promise<readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { card, module } of pairs) {
    const output = join(folder, `${module}-${card}.cubin`);
    const settings = ['-v', `--gpu-name=${card}`, '--output-file', output, join(folder, `${module}.ptx`)];
    const { stderr } = await executeFile(assembler, settings, { maxBuffer: 2 ** 24 });
    expect(stderr).not.toMatch(/serialized|performance loss/i);
    for (const [kernel, { registers, sharedBytes, spilledBytes }] of usesOf(stderr)) {
      found.set(kernel, [
        ...(found.get(kernel) ?? []),
        `${registers}${sharedBytes > 0 ? ` + ${sharedBytes} bytes` : ''}`,
      ]);
      if (spilledBytes > 0) throw new Error(`${kernel} of ${module} on ${card} spills ${spilledBytes} bytes`);
    }
  }
  const lines = [...found].map(([kernel, uses]) => `${kernel}: ${uses.join(', ')}`).sort();
  return [pairs.map(nameOf).join(', '), ...lines];
}

it('is assembled for all cards without spills, in the recorded registers', async () => {
  const lines = [...(await assemble(general)), ...(await assemble(ofHopper))];
  const text = lines.map((line) => `${line}\n`).join('');
  if (!existsSync(record)) writeFileSync(record, text);
  expect(text.split('\n')).toEqual(readFileSync(record, 'utf8').split('\n'));
});

it('is assembled kernel by kernel, as the driver gets them', async () => {
  const some = ['stream_i8_1', 'cached_attention_128_bf16', 'vae_samples'];
  for (const [module, count, names] of [
    ['sm_80', 75, some],
    ['sm_90', 75, some],
    ['sm_90a', 25, ['warpgroup_mixed_gated_128_176', 'warpgroup_f16_64_48']],
  ] as const) {
    const kernels = splitKernels(readFileSync(join(folder, `${module}.ptx`), 'utf8'));
    expect(kernels.size).toBe(count);
    for (const name of names) {
      const path = join(folder, `${module}-${name}.ptx`);
      writeFileSync(path, kernels.get(name) as string);
      await executeFile(assembler, [`--gpu-name=${module}`, '--output-file', `${path}.cubin`, path]);
    }
  }
});

it('is small as a part of a package', () => {
  const bytes = modules.reduce((sum, name) => sum + statSync(join(folder, `${name}.ptx.br`)).size, 0);
  expect(bytes).toBeLessThan(1_000_000);
  const megabytes = (name: string): string => (statSync(join(folder, name)).size / 1e6).toFixed(2);
  const sizes = modules.map(
    (name) => `${Number(megabytes(`${name}.ptx`)).toFixed(1)} MB, ${megabytes(`${name}.ptx.br`)} MB`,
  );
  expect(readFileSync(join(root, 'docs', 'gpus.md'), 'utf8')).toContain(`| PTX, compressed | ${sizes.join(' | ')} |`);
});
