import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Loudspeaker } from '../../src/cli/io.ts';
import { systemLoudspeaker } from '../../src/cli/output/loudspeaker.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { expectEnd, invoke } from './invoke.ts';

interface FakeLoudspeaker extends Loudspeaker {
  readonly received: Float32Array[];
  readonly events: string[];
}

/** @param onFinish what happens while the last second is heard */
function createLoudspeaker(onFinish: () => void = () => undefined): FakeLoudspeaker {
  const [received, events]: [Float32Array[], string[]] = [[], []];
  return {
    received,
    events,
    find: async () => ({ name: 'playback', status: 'ok', summary: 'an audio output' }),
    async open(sampleRate) {
      events.push(`open ${sampleRate}`);
      return {
        write: async (samples) => void received.push(samples.slice()),
        async finish() {
          events.push('finish');
          onFinish();
        },
        abort: async () => void events.push('abort'),
      };
    },
  };
}

const lengthOf = ({ received }: FakeLoudspeaker): number => received.reduce((sum, { length }) => sum + length, 0);

describe('svc tts without --output', () => {
  it.each([[['tts', 'Hello there.']], [['Hello there.']], [['tts', 'Hello there.', '--play']]])(
    '%j plays on the loudspeaker',
    async (argv) => {
      const loudspeaker = createLoudspeaker();
      const { code, stdout, stderr, opened } = await invoke(argv, { loudspeaker });
      expect([code, stdout.length, stderr]).toEqual([0, 0, '']);
      expect(loudspeaker.events).toEqual(['open 16000', 'finish']);
      expect(lengthOf(loudspeaker)).toBe(20);
      // Somebody listens: what is heard next is computed first.
      expect(opened).toEqual([{ maxBatch: 1 }]);
    },
  );

  it('plays at another speed, and reports', async () => {
    const loudspeaker = createLoudspeaker();
    const backend = { stopAt: 15, info: { patchSamples: 2560 } };
    const argv = ['tts', 'Hello there.', '--speed', '2', '--json'];
    const { code, stdout } = await invoke(argv, { loudspeaker, backend });
    expect(code).toBe(0);
    expect(lengthOf(loudspeaker) / (16 * 2560)).toBeCloseTo(0.5, 1);
    expect(JSON.parse(stdout.toString())).toMatchObject({ patches: 16, audioSeconds: 1.28 });
  });

  it('fills a bar on a terminal', async () => {
    const loudspeaker = createLoudspeaker();
    const { stderr } = await invoke(['Hello there.'], { loudspeaker, terminal: 'stderr' });
    expect(stderr).toMatch(/speaking \[=* *\] \d+ %.*speaking \[=+\] 100 %/s);
    expect(stderr).toMatch(/svc: \S+ s of speech in \S+ s \(RTF \S+\), seed \d+\n$/);
  });

  it.each([
    [
      ['tts', 'hi'],
      2,
      /^svc: error: --output is required, .* no audio output: .* -o out\.wav, or - for standard output\n$/,
    ],
    [['tts', 'hi', '--play'], 5, /^svc: error: cannot play audio: no audio device; .* -o out\.wav\n$/],
  ])('%j fails on a machine without one', async (argv, code, message) => {
    const outcome = await invoke(argv);
    expect(outcome).toMatchObject({ code, opened: [], stderr: expect.stringMatching(message) });
  });

  it.each([
    [['Hello.'], 'as svc is installed from its package'],
    [['tts', 'Hello.', '--play'], 'with --play'],
  ])('%j names the package that plays audio, %s', async (argv) => {
    const hook = join(import.meta.dirname, '..', 'support', 'without-packages.mjs');
    const { PATH, HOME } = process.env;
    const environment = { PATH, HOME, NODE_OPTIONS: `--import ${hook}`, TEST_WITHOUT: 'node-web-audio-api' };
    const loudspeaker = systemLoudspeaker({ environment, signal: new AbortController().signal });
    const { code, opened, stderr } = await invoke(argv, { loudspeaker });
    expect([code, opened]).toEqual([5, []]);
    expect(stderr).toMatch(
      /^svc: error: cannot play audio: playback needs the package node-web-audio-api \(52 MB\).*; write a file with -o out\.wav, or install .+ with: npm install .+ node-web-audio-api@1\n$/,
    );
  });

  it('is silent at once when interrupted while it speaks', async () => {
    const controller = new AbortController();
    const loudspeaker = createLoudspeaker();
    const backend = createFakeBackend({
      onCall: ({ kind }) => {
        if (kind === 'step' && backend.calls.length > 4) controller.abort();
      },
    });
    const outcome = await invoke(['Hello there.'], { loudspeaker, backend, signal: controller.signal });
    expectEnd(outcome, 130, 'svc: canceled\n');
    expect(loudspeaker.events).toContain('abort');
    expect(loudspeaker.events).not.toContain('finish');
  });

  it('is silent at once when interrupted during the last second', async () => {
    const controller = new AbortController();
    const loudspeaker = createLoudspeaker(() => controller.abort());
    expectEnd(await invoke(['Hello there.'], { loudspeaker, signal: controller.signal }), 130, 'svc: canceled\n');
    expect(loudspeaker.events.slice(1, 3)).toEqual(['finish', 'abort']);
  });
});
