/** One voice for a whole book: without a recording, each chapter would begin in a voice of its own. */
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { openingVoice, speakOpening } from '../../engine/long-text/opening-voice.ts';
import type { RequestFields } from '../../engine/request.ts';
import { bytesOf, floatsOf } from '../../float-arrays.ts';
import type { WorkFolder } from '../resume/work-folder.ts';

const keptVoiceSchema = z.object({
  promptText: z.string(),
  /** Encoded audio: float32, little-endian, Base64. */
  patches: z.base64().refine((text) => text !== '' && Buffer.from(text, 'base64').length % 4 === 0),
});
type KeptVoice = Readonly<z.infer<typeof keptVoiceSchema>>;

const keptName = 'voice';

/**
 * The request with a voice. If it has none, the book's first words are spoken, and the other parts continue them, or take
 * them as a reference. As in a long text, their style and control hold for all.
 *
 * @param request with a seed
 * @param opening SSML with which the book begins
 */
export async function withBookVoice(
  engine: Engine,
  request: RequestFields,
  opening: string,
  work: WorkFolder,
  signal: AbortSignal,
): Promise<RequestFields> {
  const { promptAudio, referenceAudio, continueBy: role = 'prompt' } = request;
  if (promptAudio !== undefined || referenceAudio !== undefined) return request;
  const kept = await work.read(keptName, keptVoiceSchema);
  if (kept !== undefined) {
    const { promptText, patches } = kept;
    return openingVoice({ promptText, patches: floatsOf(Buffer.from(patches, 'base64')) }, role).apply(request);
  }
  const voice = await speakOpening(engine, { ...request, inputFormat: 'ssml', text: opening }, { signal });
  // Only the seed holds the voice then.
  if (voice === undefined) return request;
  const { promptText, patches } = voice;
  await work.keep(keptName, { promptText, patches: bytesOf(patches).toString('base64') } satisfies KeptVoice);
  return voice.apply(request);
}
