/** Speech that clients fetch as a resource after the call that made it. */
import { randomUUID } from 'node:crypto';
import { createByteLru } from '../../content-cache/byte-lru.ts';

interface SpeechBytes {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

export type KeptSpeech = ReturnType<typeof createKeptSpeech>;

/** For all clients together; the oldest speech is forgotten first. */
const mostBytes = 64 * 2 ** 20;

export function createKeptSpeech() {
  type Kept = SpeechBytes & { readonly owner: string | undefined };
  const kept = createByteLru<Kept>(mostBytes, ({ bytes }) => bytes.length);
  return {
    keep(speech: SpeechBytes, owner: string | undefined): string {
      const id = randomUUID();
      kept.set(id, { ...speech, owner });
      return `svc://speech/${id}`;
    },
    /** Undefined for speech that is not kept any more, or is another key's. */
    find(id: string, owner: string | undefined): SpeechBytes | undefined {
      const found = kept.get(id);
      return found !== undefined && found.owner === owner ? found : undefined;
    },
  };
}
