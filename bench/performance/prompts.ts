/** First audio with a recording of the voice, against none. VoxCPM.cpp encodes the recording in every request. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { type PeerMeasurement, runPeer } from '../../src/bench/peer.ts';
import { promptAudio, promptText } from '../../src/bench/prompt.ts';
import { configure, firstModel, fixed, inTurn, rivals, type Section, type Settings } from './section.ts';

const promptSeconds = 10;
const sampleRate = 16_000;
const patches = 8;

/** First audio as the sum of what it prints: encoding, prefill, a step and its decoding. */
const firstAudio = ({ encodeSeconds, prefillMs, msPerStep, vaeMsPerPatch }: PeerMeasurement): number =>
  encodeSeconds * 1000 + prefillMs + msPerStep + vaeMsPerPatch;

async function peerTimes(modelPath: string, settings: Settings): Promise<readonly number[]> {
  const { compare: program, environment, signal, threads } = settings;
  if (program === undefined) return [];
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  try {
    const audio = join(folder, 'prompt.wav');
    await writeFile(audio, encodeWav(promptAudio(promptSeconds, sampleRate, 1).samples, sampleRate));
    const { text, timesteps, cfg } = configure(settings, modelPath, undefined);
    const run = {
      ...{ program, modelPath, text, patches, threads, timesteps, cfg, environment, signal },
      output: join(folder, 'speech.wav'),
    };
    const plain = firstAudio(await runPeer(run));
    return [plain, firstAudio(await runPeer({ ...run, prompt: { audio, text: promptText } }))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const prompts: Section = async (settings) => {
  const path = await firstModel(settings);
  const names = rivals(settings);
  const results = await inTurn(
    'firstAudio',
    names.map((name) => configure(settings, path, name, { promptSeconds })),
    settings,
  );
  settings.onRun(settings.compare ?? 'nothing to compare with');
  const [peerPlain, peerPrompt] = await peerTimes(path, settings);
  const rows = results.map(({ plainMs, recordingMs, firstMs, laterMs }, index) => [
    names[index] ?? '',
    ...[plainMs, recordingMs, firstMs, laterMs].map((time) => fixed(time, 0)),
    fixed(laterMs / plainMs, 2),
  ]);
  const peerRow =
    peerPlain === undefined || peerPrompt === undefined
      ? []
      : [
          [
            'VoxCPM.cpp',
            fixed(peerPlain, 0),
            ...Array<string>(3).fill(fixed(peerPrompt, 0)),
            fixed(peerPrompt / peerPlain, 2),
          ],
        ];
  return [
    {
      title: `First audio with a prompt of ${promptSeconds} s`,
      header: [
        'kernels',
        'without, ms',
        'first, with encoding',
        'first, encoded before',
        'later',
        'later over without',
      ],
      rows: [...rows, ...peerRow],
    },
  ];
};
