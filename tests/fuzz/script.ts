import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { acceptSteps, assertWords } from '../../src/engine/accepted.ts';
import { parseRequestText } from '../../src/engine/parsed-request.ts';
import { planSteps } from '../../src/engine/plan/plan.ts';
import { parseRequest, type SynthesisRequest } from '../../src/engine/request.ts';
import { voiceNamesIn } from '../../src/engine/script/voice-names.ts';
import { sentencesOf } from '../../src/engine/text/sentences.ts';
import { inTurns, itemsInTurns } from '../../src/event-loop.ts';
import { fakeInfo } from '../engine/fake-backend.ts';
import { pick, type Random } from './random.ts';
import { hostileScript } from './script-text.ts';
import type { Target } from './target.ts';

const file = 'request.json';
const lexicon = [
  { written: 'hello', spoken: '{HH AH0 L OW1}' },
  { written: 'a b', spoken: 'c' },
];

/** Number of characters of all parts of a request, planned one after the other as the engine does. */
export async function plannedCharacters(given: SynthesisRequest): Promise<number> {
  const request = await inTurns(parseRequestText(parseRequest(given)));
  voiceNamesIn(request.text, request.inputFormat);
  const info = { ...fakeInfo, architecture: 'voxcpm2' } as const;
  const accepted = await inTurns(acceptSteps(request, info));
  assertWords(accepted, request);
  let characters = 0;
  for await (const { text, style } of itemsInTurns(planSteps(accepted, info))) {
    for (const { start, end } of sentencesOf(text)) characters += end - start;
    characters += style.length;
  }
  return characters;
}

/** @param size see `hostileScript` */
export function hostileRequest(
  random: Random,
  size: number,
): { readonly kind: string; readonly request: SynthesisRequest } {
  const { kind, text, format: inputFormat } = hostileScript(random, size);
  const options = { readCode: random(2) === 0, normalize: random(3) === 0, clean: random(4) > 0, split: random(8) > 0 };
  const voices = { anna: {}, Ben: {} };
  return { kind: `${kind}, ${inputFormat}`, request: { text, inputFormat, voices, lexicon, ...options } };
}

export const target: Target = {
  refusals: ['INVALID_REQUEST'],
  prepare: (folder) => writeFile(join(folder, file), JSON.stringify({ text: 'Hello.' })),
  async mutate(_source, work, random) {
    const { kind, request } = hostileRequest(random, pick(random, [3, 30, 300, 30_000]));
    await writeFile(join(work, file), JSON.stringify(request));
    return kind;
  },
  async run(work) {
    await plannedCharacters(JSON.parse(await readFile(join(work, file), 'utf8')) as SynthesisRequest);
  },
};
