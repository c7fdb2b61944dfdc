import { expect, it } from '@jest/globals';
import { causeOf, describeEnd } from '../src/child-program.ts';

it.each([
  [
    'CUDA error: no kernel image\n  current device: 0, in function f at /a/b.cu:3\n  g()\n/a/ggml-cuda.cu:104: CUDA error\n',
    'CUDA error: no kernel image',
  ],
  [
    '/a/ggml.c:12: GGML_ASSERT(x > 0) failed\n#0  0x00007f in wait4 ()\n[New LWP 12]\n/a/b.so(+0x1f) [0x7f12ab]\n',
    'GGML_ASSERT(x > 0) failed',
  ],
  ['loading\nterminate called after throwing an instance\n', 'terminate called after throwing an instance'],
  ['', ''],
])('takes the cause from the last words of a process: %j', (words, cause) => {
  expect(causeOf(words)).toBe(cause);
});

it('describes how a process ended', () => {
  expect(describeEnd(null, 'SIGABRT', 'a.cu:1: an error: x.\n')).toBe('crashed (SIGABRT): an error: x');
  expect(describeEnd(3, null, '')).toBe('exited with code 3');
});
