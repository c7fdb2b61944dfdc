/** Speech that clients fetch as a resource after the call that made it. */
import { randomUUID } from 'node:crypto';
import { createByteLru } from '../../content-cache/byte-lru.ts';

export interface SpeechBytes {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

export interface KeptSpeech {
  /** Returns the address. */
  keep(speech: SpeechBytes, owner: string | undefined): string;
  /** Undefined for speech that is not kept any more, or is another key's. */
  find(id: string, owner: string | undefined): SpeechBytes | undefined;
}

/** For all clients together; the oldest speech is forgotten first. */
const mostBytes = 64 * 2 ** 20;

export const speechAddress = (id: string): string => `svc://speech/${id}`;

export function createKeptSpeech(): KeptSpeech {
  const kept = createByteLru<SpeechBytes & { readonly owner: string | undefined }>(
    mostBytes,
    ({ bytes }) => bytes.length,
  );
  return {
    keep(speech, owner) {
      const id = randomUUID();
      kept.set(id, { ...speech, owner });
      return speechAddress(id);
    },
    find(id, owner) {
      const found = kept.get(id);
      return found !== undefined && found.owner === owner ? found : undefined;
    },
  };
}
