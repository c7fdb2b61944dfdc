/** Reports of `svc doctor` on an addon that was compiled for another processor, such as that of a container image. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { checkKernels } from '../../src/cli/probe/probes/addon.ts';
import { loadNative } from '../../src/engine/backends/native/load-addon.ts';
import { freshFolder } from '../support/test-folder.ts';

describe('the kernels of a processor', () => {
  it('are named', () => {
    expect(checkKernels('EPYC', ['avx2', 'portable', 'ggml'], 'avx2')).toEqual({
      name: 'processor',
      status: 'ok',
      summary: 'EPYC, kernels avx2',
    });
  });

  it.each([
    [['ggml'], 'kernels of the engine ggml'],
    [['portable', 'ggml'], 'kernels of the engine ggml'],
    [['avx2', 'ggml'], 'kernels avx2'],
  ])('are missed beside %j, with the command that compiles them', (kernels, used) => {
    const { status, summary, remedy } = checkKernels('EPYC', kernels, 'avx512_bf16');
    expect([status, summary]).toEqual([
      'missing',
      `EPYC, ${used}; the faster avx512_bf16 are not compiled, as the addon was built for another processor`,
    ]);
    expect(remedy).toMatch(/run: node .+build-native\.mjs$/);
  });

  it("are not missed where ggml's are faster", () => {
    expect(checkKernels('Nehalem', ['portable', 'ggml'], '')).toMatchObject({ status: 'ok' });
  });
});

describe('the program that chooses what npm ci compiles', () => {
  const folder = freshFolder();

  it('names the kernels that the addon would use here', () => {
    const program = folder.join('best-kernels');
    execFileSync(process.env.CXX ?? 'g++', ['-std=c++20', '-I.', '-o', program, 'best-kernels.cc'], { cwd: 'native' });
    const [best] = execFileSync(program, { encoding: 'utf8' }).trim().split(' ');
    expect(best).toBe(loadNative().addon.processorKernels());
  });
});
