import { describe, expect, it } from '@jest/globals';
import type { NativeDevice, NativeModel } from '../../../../src/engine/backends/native/addon.ts';
import type { Connection } from '../../../../src/engine/backends/native/gpu/connections.ts';
import { createLastingModel } from '../../../../src/engine/backends/native/gpu/lasting-model.ts';
import { SvcError } from '../../../../src/errors.ts';

const settings = {
  tokens: new Int32Array(1),
  audioMask: new Uint8Array(1),
  features: new Float32Array(0),
  cfg: 2,
  timesteps: 10,
};
const lost = new SvcError('DEVICE_LOST', 'CUDA0 stopped working: gone');

/** Connections that are lost on command, with the calls that each of them got. */
function devices() {
  const calls: string[][] = [];
  const losses: (SvcError | undefined)[] = [];
  const connect = async (): Promise<Connection> => {
    const index = calls.push([]) - 1;
    losses.push(undefined);
    const note = (name: string) => async (handle?: unknown) => {
      calls[index]?.push(`${name} ${handle}`);
      if (losses[index] !== undefined) throw losses[index];
      return name === 'step' ? [] : 1;
    };
    const names = ['open', 'prefill', 'step', 'closeSession', 'openAdapter', 'closeAdapter', 'close'] as const;
    const model = Object.fromEntries(names.map((name) => [name, note(name)])) as unknown as Connection['model'];
    const device = { name: `GPU${index}`, description: 'a GPU' } as NativeDevice;
    const memory = { bytes: 0, remembered: 0, computed: 0 };
    const work = { flow: 500, languageModels: 250, localEncoder: 250, phases: 0 };
    const state = () => ({ memory, work, device: { freeBytes: 1, totalBytes: 2, mostStreams: 4 } });
    return { device, model, state, loss: () => losses[index] };
  };
  const description = { info: { device: 'CPU' }, close: async () => undefined } as unknown as NativeModel;
  return {
    model: createLastingModel(description, connect),
    calls,
    lose: () => {
      losses[losses.length - 1] = lost;
    },
  };
}

describe('a model on a device that may be lost', () => {
  it('fails the utterances of the lost device only, and opens again for the next', async () => {
    const { model, calls, lose } = devices();
    await model.load();
    const first = await model.open(settings);
    expect(model.info.device).toBe('GPU0');
    lose();
    await expect(model.step([first], [], 'plain')).rejects.toBe(lost);
    const second = await model.open(settings);
    expect([first === second, model.info.device]).toEqual([false, 'GPU1']);
    // They are in batches of their own.
    expect(model.groupOf?.(first)).not.toBe(model.groupOf?.(second));
    await expect(model.step([first], [], 'plain')).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    await model.closeSession(first);
    await model.step([second], [], 'plain');
    expect(calls).toEqual([
      ['open [object Object]', 'step 1', 'close undefined'],
      ['open [object Object]', 'step 1'],
    ]);
    await model.close();
    await expect(model.open(settings)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('opens once for several that wait', async () => {
    const { model, calls, lose } = devices();
    await model.load();
    lose();
    await Promise.all([model.open(settings), model.open(settings), model.open(settings)]);
    expect(calls).toHaveLength(2);
  });

  it('leaves a device alone for a while that is lost again and again', async () => {
    const { model, calls, lose } = devices();
    await model.load();
    lose();
    await model.open(settings);
    lose();
    await expect(model.open(settings)).rejects.toMatchObject({
      code: 'DEVICE_LOST',
      remedy: expect.stringMatching(/^retry in \d+ s$/),
    });
    expect(calls).toHaveLength(2);
  });

  it('knows the adapters that were lost', async () => {
    const { model, lose } = devices();
    await model.load();
    const adapter = await model.openAdapter([], new Int32Array(0), [], [], 1);
    expect(model.isGone?.(adapter)).toBe(false);
    lose();
    expect(model.isGone?.(adapter)).toBe(true);
    await model.closeAdapter(adapter);
    await expect(model.open({ ...settings, adapter })).rejects.toMatchObject({ code: 'DEVICE_LOST' });
  });
});
