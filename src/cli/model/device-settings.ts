/** How GPUs are tried, from environment variables. */
import type { DeviceSettings } from '../../engine/backends/native/device.ts';
import type { Io } from '../io.ts';
import { readVariable } from '../options/environment-variables.ts';
import { parseNumber } from '../options/option-values.ts';

const timeout = { kind: 'number', minimum: 1, maximum: 86_400 } as const;

/** @throws SvcError INVALID_REQUEST */
export function deviceSettings(io: Pick<Io, 'environment'>): DeviceSettings {
  const cacheFolder = readVariable(io, 'SVC_CACHE_DIR');
  const seconds = readVariable(io, 'SVC_DEVICE_TIMEOUT');
  return {
    cacheFolder: cacheFolder || undefined,
    patience: seconds ? 1000 * parseNumber('SVC_DEVICE_TIMEOUT', timeout)(seconds) : undefined,
  };
}
