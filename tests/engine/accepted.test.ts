import { describe, expect, it } from '@jest/globals';
import { pack, unpack } from '../../src/broker/shared/packing.ts';
import { type Accepted, withVoices } from '../../src/engine/accepted.ts';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import { concatenate } from '../../src/float-arrays.ts';
import { accept, partsOf } from '../support/accept.ts';
import { createFakeBackend, fakeInfo } from './fake-backend.ts';

const info = { ...fakeInfo, architecture: 'voxcpm2', contextLength: 8192 } as const;
const audio = (value: number) => ({ samples: new Float32Array(64).fill(value), sampleRate: 16_000, channels: 1 });
const prompt = { promptAudio: audio(0.5), promptText: 'Prompt.' };

describe('an accepted request', () => {
  it('is plain data, which gives the same speech after it was sent', async () => {
    const request = {
      text: 'Anna: (low) One gif.\n\nBen: Two. [pause:1s] Three.',
      inputFormat: 'script',
      voices: { Anna: { referenceAudio: audio(0.25) }, Ben: prompt },
      lexicon: [{ written: 'gif', spoken: 'jif' }],
      speed: 1.5,
      seed: 7,
    } as const;
    await using engine = createEngineFromBackend(createFakeBackend({ stopAt: 4, firstLevel: 1, info }), {
      maxBatch: 2,
    });
    const speech = accept(request, info);
    const sent = unpack(pack(speech)) as Accepted;
    const heard = async (accepted: Accepted) => {
      const pieces: Float32Array[] = [];
      for await (const { samples } of engine.speak(accepted, { mayRetract: true })) pieces.push(samples);
      return concatenate(pieces);
    };
    const expected = await engine.synthesize(request);
    expect(expected.samples.length).toBeGreaterThan(100);
    expect(await heard(speech)).toEqual(expected.samples);
    expect(await heard(sent)).toEqual(expected.samples);
  });

  it('is cut into paragraphs as its text was written, whatever respellings make of it', () => {
    // A line of more than 100 letters that ends a sentence would be a paragraph.
    const text = `${'word '.repeat(18)}end.\nNext line.`;
    const spoken = accept({ text, lexicon: [{ written: 'word', spoken: 'respelled' }] }, info);
    const plain = accept({ text: text.replaceAll('word', 'respelled') }, info);
    expect(partsOf(spoken, info).map((part) => part.text)).toEqual([`${'respelled '.repeat(18)}end.\nNext line.`]);
    expect(
      partsOf(plain, info)
        .map((part) => part.text)
        .at(-1),
    ).toBe('Next line.');
  });
});

describe('withVoices', () => {
  const named = { text: 'Anna: (low) One.', inputFormat: 'script', voices: { Anna: {} } } as const;

  it('adds audio, and keeps pronunciations', () => {
    const voiceLexicon = [{ written: 'one', spoken: 'wun' }];
    const accepted = accept({ ...named, voices: { Anna: { voiceLexicon } }, voiceLexicon }, info);
    const other = { ...prompt, voiceLexicon: [{ written: 'one', spoken: 'two' }] };
    const voiced = withVoices(accepted, { own: { referenceAudio: audio(1) }, voices: { Anna: other } }, info);
    expect(voiced).toMatchObject({
      referenceAudio: audio(1),
      voiceLexicon,
      voices: { Anna: { ...prompt, voiceLexicon } },
    });
    expect(voiced.passages).toEqual(accepted.passages);
  });

  it('leaves the own voice of the request', () => {
    expect(withVoices(accept({ text: 'One.', ...prompt }, info), {}, info)).toMatchObject(prompt);
  });

  it('warns of what prompt audio leaves no place for', () => {
    const accepted = accept({ ...named, control: 'calm' }, info);
    expect(accepted.warnings).toEqual([]);
    expect(withVoices(accepted, { voices: { Anna: prompt } }, info).warnings).toEqual([
      'control has no effect on voice "Anna", which is prompt audio',
      'the style "(low)" has no effect on voice "Anna", which is prompt audio; it is left out',
    ]);
  });

  it.each([
    ['control', { control: 'calm' }, prompt, 'control and prompt text cannot be combined'],
    ['no transcript', {}, { promptAudio: audio(1) }, 'prompt audio needs prompt text'],
    ['what is no number', {}, { referenceAudio: audio(Number.NaN) }, 'referenceAudio must be non-empty finite samples'],
  ])('refuses a voice with %s', (_, fields, own, message) => {
    expect(() => withVoices(accept({ text: 'One.', ...fields }, info), { own }, info)).toThrow(message);
  });

  it('refuses what the model does not support', () => {
    const accepted = accept({ text: 'One.' }, fakeInfo);
    expect(() => withVoices(accepted, { own: { referenceAudio: audio(1) } }, fakeInfo)).toThrow(
      /^reference audio needs a VoxCPM 2 model/,
    );
  });
});
