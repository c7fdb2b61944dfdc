/** Opens a model on a GPU, or another device that may be lost. */
import { toSvcError } from '../../../../errors.ts';
import type { BackendName, DitType } from '../../../engine-options.ts';
import type { NativeModel } from '../addon.ts';
import { type ChosenDevice, chooseDevice, type DeviceSettings } from '../device.ts';
import type { LoadedAddon } from '../load-addon.ts';
import type { Connect, Connection } from './connections.ts';
import { createLastingModel } from './lasting-model.ts';
import { openInProcess } from './open-in-process.ts';
import { forgetVerdict, noteFailure } from './verdicts.ts';
import { watchLoss } from './watch-loss.ts';

export interface LosableMeans {
  readonly path: string;
  readonly native: LoadedAddon;
  readonly backend: BackendName;
  readonly ditType: DitType | undefined;
  /** Utterances for which the device gets memory. */
  readonly sessions: number;
  readonly threads: number;
  readonly devices: DeviceSettings;
  /** Opens the model in this process. */
  readonly openHere: (chosen: ChosenDevice) => Promise<NativeModel>;
}

/**
 * Opens a model in a process of its own, unless the device is one of this process, and again after the device was lost: there, or
 * where `auto` then chooses.
 */
export async function openOnLosable(first: ChosenDevice, means: LosableMeans): Promise<NativeModel> {
  const { path, native, backend, ditType, sessions, threads, devices, openHere } = means;

  async function openOn(chosen: ChosenDevice): Promise<Connection> {
    const { device, library } = chosen;
    if (library === undefined) {
      const model = await openHere(chosen);
      await model.load();
      return watchLoss(model, device);
    }
    const { directories } = native;
    const model = await openInProcess(
      { directories, library, device, path, threads, ditType, sessions },
      devices.patience,
    );
    const { decodesBeside } = model.info;
    return { device, decodesBeside, model, state: model.state, loss: model.loss };
  }

  const connect: Connect = async (lost) => {
    if (lost !== undefined && first.library !== undefined) await forgetVerdict(first.library, devices);
    for (let chosen = lost === undefined ? first : await chooseDevice(backend, native, devices); ; ) {
      try {
        return await openOn(chosen);
      } catch (thrown) {
        const { code, problem: cause } = toSvcError(thrown);
        // A named backend, and a model that is too large, are reported as they are.
        if (code !== 'DEVICE_LOST' || backend !== 'auto' || chosen.library === undefined) throw thrown;
        await noteFailure(chosen.library, native, devices, { name: chosen.device.name, cause });
        chosen = await chooseDevice(backend, native, devices);
      }
    }
  };

  return createLastingModel(await native.addon.openModel(path, 'CPU', 1, 'ggml', ditType), connect);
}
