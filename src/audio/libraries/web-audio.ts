/** node-web-audio-api, which plays audio and decodes AAC. It is optional, and links ALSA on Linux. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { SvcError } from '../../errors.ts';
import { isMissingPackage, optionalCommand } from '../../package/optional-package.ts';
import { alsaAdvice, loadLibrary } from './load-library.ts';

const name: string = 'node-web-audio-api';
/** For all platforms, which its one package covers. */
const size = '52 MB';

const alsa = 'libasound.so.2';
/** Imports the package. @throws SvcError BACKEND_UNAVAILABLE with the commands that install all that is missing */
export async function loadWebAudio<Library>(feature: 'playback' | 'reading M4A and AAC'): Promise<Library> {
  return await loadLibrary<Library>(name, feature, async () => {
    try {
      return await import(name);
    } catch (cause) {
      if (!isMissingPackage(cause, name)) throw cause;
      const lacksAlsa = process.platform === 'linux' && !hasAlsa();
      const problem = `${feature} needs the package ${name} (${size})${lacksAlsa ? ` and ALSA's library ${alsa}` : ''}`;
      const package_ = `${lacksAlsa ? 'the package' : 'it'} with: ${optionalCommand([name])}`;
      const library = lacksAlsa ? `the library (${alsaAdvice}), and ` : '';
      throw new SvcError('BACKEND_UNAVAILABLE', problem, { cause, remedy: `install ${library}${package_}` });
    }
  });
}

/** Looks where the loader of Linux looks, without loading it. */
function hasAlsa(): boolean {
  const triplet: string | undefined = triplets[process.arch];
  const places = ['/lib', '/usr/lib', '/usr/local/lib'].flatMap((base) => [
    base,
    `${base}64`,
    ...(triplet === undefined ? [] : [join(base, triplet)]),
  ]);
  return places.some((folder) => existsSync(join(folder, alsa)));
}

/** Debian's names of its folders. */
const triplets: Readonly<Record<string, string>> = {
  x64: 'x86_64-linux-gnu',
  arm64: 'aarch64-linux-gnu',
  arm: 'arm-linux-gnueabihf',
};
