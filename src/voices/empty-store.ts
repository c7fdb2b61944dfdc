/** The voice store where none can be created: it is empty, and only adding a voice fails. */
import type { SvcError } from '../errors.ts';
import type { VoiceStore } from './voice-store.ts';

/** @param failure why there is no store, thrown when a voice is added */
export function createEmptyStore(location: string, failure: SvcError): VoiceStore {
  const close = async (): Promise<void> => undefined;
  return {
    location,
    put: () => Promise.reject(failure),
    get: async () => undefined,
    list: async () => [],
    recording: async () => undefined,
    addEncodings: async () => false,
    remove: async () => false,
    close,
    [Symbol.asyncDispose]: close,
  };
}
