/** Answers of a single process, one request after another. */
import { createEngine } from '../../src/engine/open-engine.ts';

/** 16-bit samples; seeds count from 1. */
export async function referenceAnswers(texts: readonly string[]): Promise<readonly Int16Array[]> {
  await using engine = await createEngine({ backend: 'cpu', threads: 1, maxBatch: 1 });
  const answers: Int16Array[] = [];
  for (const [index, text] of texts.entries()) {
    const pieces: number[] = [];
    for await (const { samples } of engine.stream({ text, seed: index + 1 })) pieces.push(...samples);
    answers.push(Int16Array.from(pieces, toInteger));
  }
  return answers;
}

/** Like the server's PCM: full scale is 32768, clipped. */
const toInteger = (value: number): number => Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768)));
