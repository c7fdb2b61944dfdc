/** One voice for a whole book: without a recording, each chapter would begin in a voice of its own. */
import { z } from 'zod';
import { assertWords } from '../../engine/accepted.ts';
import { attemptSeed } from '../../engine/bad-case.ts';
import type { Engine } from '../../engine/engine.ts';
import { voiceSeconds, voiceTries } from '../../engine/long-text/part-voice.ts';
import { type ParsedRequest, parseRequestText } from '../../engine/parsed-request.ts';
import type { EncodedAudio, RequestFields } from '../../engine/request.ts';
import { normalizeText } from '../../engine/text/normalize.ts';
import { atOnce } from '../../event-loop.ts';
import { bytesOf, concatenate, floatsOf } from '../../float-arrays.ts';
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
  const { promptAudio, referenceAudio, seed = 0, continueBy: role = 'prompt' } = request;
  if (promptAudio !== undefined || referenceAudio !== undefined) return request;
  const { control: _, ...others } = request;
  const inVoice = (audio: EncodedAudio, promptText: string): RequestFields =>
    role === 'reference' ? { ...request, referenceAudio: audio } : { ...others, promptAudio: audio, promptText };
  const kept = await work.read(keptName, keptVoiceSchema);
  if (kept !== undefined) {
    return inVoice({ role, patches: floatsOf(Buffer.from(kept.patches, 'base64')) }, kept.promptText);
  }
  for (let attempt = 0; attempt < voiceTries; attempt += 1) {
    const own = { inputFormat: 'ssml', speed: 1, seed: attemptSeed(seed, attempt) } as const;
    const spoken = { ...request, ...own, text: opening };
    const beginning = await speakBeginning(engine, atOnce(parseRequestText(spoken)), signal);
    if (beginning === undefined) continue;
    const promptText = normalizeText(beginning.text);
    const encoded = await engine.encode(beginning.audio, role, { signal });
    await work.keep(keptName, { promptText, patches: bytesOf(encoded.patches).toString('base64') } satisfies KeptVoice);
    return inVoice(encoded, promptText);
  }
  // Only the seed holds the voice then.
  return request;
}

/** Undefined if the model babbled. */
async function speakBeginning(engine: Engine, request: ParsedRequest, signal: AbortSignal) {
  const pieces: Float32Array[] = [];
  const texts: string[] = [];
  const speech = atOnce(engine.accept(request));
  assertWords(speech, request);
  const { outputSampleRate: sampleRate } = engine.info;
  for await (const { text = '', samples, end } of engine.speak(speech, { signal, mayRetract: true, partsAtOnce: 1 })) {
    if (end === 'limit') return undefined;
    texts.push(text);
    pieces.push(samples);
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length >= voiceSeconds * sampleRate) break;
  }
  return { text: texts.join(' '), audio: { samples: concatenate(pieces), sampleRate, channels: 1 } };
}
