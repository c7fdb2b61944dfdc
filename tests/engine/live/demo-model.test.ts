/** Live text on the demo model and the native runtime. */
import { expect, it } from '@jest/globals';
import { createEngine } from '../../../src/engine/open-engine.ts';
import { concatenate } from '../../../src/float-arrays.ts';

it('has the audio of the whole text, and the times of its words while it is spoken', async () => {
  await using engine = await createEngine({ backend: 'cpu', threads: 1 });
  const text = 'The weather is nice today. It will rain tomorrow.\n\nSo take a coat.';
  const fields = { seed: 3, timesteps: 4 };
  async function* tokens() {
    for (let at = 0; at < text.length; at += 3) yield text.slice(at, at + 3);
  }
  const speak = async (stream: ReturnType<typeof engine.stream>) => {
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return {
      samples: concatenate(chunks.map(({ samples }) => samples)),
      sentences: chunks.flatMap(({ sentences = [] }) => sentences),
    };
  };
  const whole = await speak(engine.stream({ ...fields, text }));
  const live = await speak(engine.stream({ ...fields, text: tokens() }, { timestamps: 'words' }));
  expect(live.samples).toEqual(whole.samples);
  const { sentences } = await engine.synthesize({ ...fields, text, retryBadcase: false }, { timestamps: 'words' });
  expect(live.sentences).toEqual(sentences);
  expect(live.sentences.map((sentence) => sentence.method)).toEqual(['attention', 'attention', 'attention']);
});
