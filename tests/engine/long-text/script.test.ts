/** Scripts through the engine: what their pauses, rates and voices do to the audio. */
import { describe, expect, it } from '@jest/globals';
import { createEngineFromBackend } from '../../../src/engine/engine.ts';
import type { SynthesisRequest } from '../../../src/engine/request.ts';
import { concatenate } from '../../../src/float-arrays.ts';
import { collect } from '../../support/collect.ts';
import { createFakeBackend, type FakeOptions } from '../fake-backend.ts';

const rate = 1000;

/** Each part is ten patches of 0.1 s of loud sound. */
function setUp(options: FakeOptions = {}, maxBatch = 4) {
  const info = { patchSamples: 100, outputSampleRate: rate, ...options.info };
  const backend = createFakeBackend({ stopAt: 9, firstLevel: 10, ...options, info });
  return { backend, engine: createEngineFromBackend(backend, { maxBatch }) };
}

const seconds = async (request: SynthesisRequest, options?: FakeOptions): Promise<number> =>
  (await setUp(options).engine.synthesize({ seed: 1, ...request })).samples.length / rate;

const textsOf = async (request: SynthesisRequest): Promise<readonly string[]> =>
  (await collect(setUp().engine.synthesizeParts(request))).map(({ text }) => text);

const ssml = (content: string): SynthesisRequest => ({ text: `<speak>${content}</speak>` });
const script = (text: string): SynthesisRequest => ({ text, inputFormat: 'script' });

describe('a script', () => {
  it.each([
    ['a pause between parts', ssml('One.<break time="2s"/>Two.'), 1 + 2 + 1],
    ['no pause', ssml('One.<break strength="none"/>Two.'), 1 + 1],
    ['a pause first', ssml('<break time="1.5s"/>One.'), 1.5 + 1],
    ['a pause last', ssml('One.<break time="1.5s"/>'), 1 + 1.5],
    ['a long pause', script('One. [pause:40s] Two.'), 1 + 40 + 1],
    ['a pause around what has no words', ssml('One.<break time="1s"/>…<break time="3s"/>Two.'), 1 + 3 + 1],
    ['a heading', { text: '# One\n\nTwo.', inputFormat: 'markdown' } as const, 1 + 1 + 1],
    ['one passage', ssml('One.'), 1],
  ])('with %s has its length', async (_, request, expected) => {
    // A join fades five milliseconds of sound into the pause.
    expect(await seconds(request)).toBeCloseTo(expected, 1);
  });

  it('sounds the same in parts, as a whole and as a stream, and for all batch sizes', async () => {
    const text = '[pause:1s]One. [pause:2s] Two. [pause:500ms]\n\nThree.\n\nFour. [pause:1s]';
    const request = { ...script(text), seed: 1 };
    const { samples } = await setUp().engine.synthesize(request);
    expect(samples.length / rate).toBeCloseTo(1 + 1 + 2 + 1 + 0.5 + 1 + 0.9 + 1 + 1, 1);
    for (const maxBatch of [1, 3]) {
      const { engine } = setUp({}, maxBatch);
      const pieces = await collect(engine.stream(request));
      expect(concatenate(pieces.map((piece) => piece.samples))).toEqual(samples);
    }
  });

  it('speaks a passage faster or slower, as a whole and as a stream', async () => {
    const speech = { patchSamples: 1600, outputSampleRate: 16_000 };
    const { engine } = setUp({ info: speech });
    const length = async (request: SynthesisRequest): Promise<number> =>
      (await engine.synthesize({ seed: 1, ...request })).samples.length / 16_000;
    expect(await length(ssml('<prosody rate="2">One.</prosody>'))).toBeCloseTo(0.5, 2);
    expect(await length(ssml('One.<break time="1s"/><prosody rate="50%">Two.</prosody>'))).toBeCloseTo(1 + 1 + 2, 1);
    const chunks = await collect(engine.stream({ seed: 1, ...ssml('<prosody rate="2">One.</prosody>') }));
    expect(chunks.reduce((sum, { samples }) => sum + samples.length, 0) / 16_000).toBeCloseTo(0.5, 2);
  });

  it('speaks each voice after its own prompt', async () => {
    const { engine, backend } = setUp({}, 1);
    const prompt = (patches: number) => ({ role: 'prompt', patches: new Float32Array(patches * 6).fill(0.5) }) as const;
    const voices = {
      anna: { promptAudio: prompt(3), promptText: 'a' },
      ben: { promptAudio: prompt(7), promptText: 'b' },
    };
    const text = 'Anna: One.\nBen: Two.\nAnna: Three.\n[voice:default] Four.';
    await engine.synthesize({ text, inputFormat: 'script', voices, seed: 1 });
    expect(backend.prefixes.map(({ audioMask }) => audioMask.filter(Boolean).length)).toEqual([3, 7, 3, 0]);
  });

  it('learns the voice of the request itself beside named ones', async () => {
    const { engine, backend } = setUp();
    const promptAudio = { role: 'prompt', patches: new Float32Array(18).fill(0.5) } as const;
    const voices = { anna: { promptAudio, promptText: 'a' } };
    await engine.synthesize({ ...script('One.\nAnna: Two.\n[voice:default] Three.'), voices, seed: 1 });
    const positions = backend.prefixes.map(({ audioMask }) => audioMask.filter(Boolean).length);
    expect(positions).toEqual([0, 3, 10]);
  });

  it('says words by the lexicon, and leaves its phonemes to the model', async () => {
    const lexicon = [{ written: 'gif', spoken: 'jif' }];
    expect(await textsOf({ text: 'A gif. {gi3}', lexicon, normalize: true })).toEqual(['A jif. {gi3}']);
  });

  it('shows the written words in captions where a lexicon of the request or a voice has phonemes', async () => {
    const request = {
      ...script('A route home.\nAnna: A route home.'),
      lexicon: [{ written: 'route', spoken: '{R UW1 T}' }],
      voices: { Anna: { voiceLexicon: [{ written: 'home', spoken: '{HH OW1 M}' }] } },
    };
    const { sentences = [] } = await setUp().engine.synthesize(request, { timestamps: 'words' });
    const shown = sentences.map(({ text, words }) => `${text} ${words.length}`);
    expect(shown).toEqual(['A route home. 3', 'A route home. 3']);
  });

  it('says words as the request says, else as the voice does', async () => {
    const entry = (written: string, spoken: string) => ({ written, spoken });
    const texts = await textsOf({
      ...script('A b c d.\nAnna: A b c d.\nBen: A b c d.'),
      lexicon: [entry('a', 'request')],
      voiceLexicon: [entry('a', 'own'), entry('b', 'own')],
      voices: { Anna: { voiceLexicon: [entry('a', 'anna'), entry('c', 'anna')] }, Ben: {} },
    });
    expect(texts).toEqual(['request own c d.', 'request b anna d.', 'request b c d.']);
  });

  it('warns of what a script holds that can not be done', async () => {
    const { warnings } = await setUp().engine.synthesize(ssml('<foo>One.</foo>'));
    expect(warnings).toContain('unknown SSML element "foo"; its text is read (line 1)');
  });

  it('warns once of tags that the model does not know', async () => {
    const { warnings } = await setUp().engine.synthesize({ text: 'Hello [laughing]. [sigh] Bye. [laughing]' });
    expect(warnings.filter((warning) => warning.includes('VoxCPM 2'))).toEqual([
      'only VoxCPM 2 has tags such as "[laughing]"; this model reads them as text',
    ]);
  });

  const formats = 'auto, plain, markdown, ssml, script, turns';
  it.each([
    [ssml('<p>'), 'the SSML is not valid at line 1, column 19: unexpected close tag'],
    [ssml('<break time="1s"/>'), 'text must contain a letter or digit'],
    [script('[pause:1s]'), 'text must contain a letter or digit'],
    [
      script('[voice:anna] Hi.'),
      'unknown voice "anna" on line 1 of the script (none is given; use voices, or --voices on the command line)',
    ],
    [{ text: 'a', voices: { anna: { promptText: 'b' } } }, 'prompt text needs prompt audio'],
    [{ text: 'a', lexicon: [{ written: '', spoken: 'b' }] }, 'lexicon must be at most 100000 entries'],
    [{ text: 'a', inputFormat: 'html' as 'plain' }, `inputFormat must be one of ${formats}, got "html"`],
    [
      { text: 'a', voices: { ['x'.repeat(101)]: {} } },
      'voices must be an object of at most 64 voices with names of 1 to 100 characters',
    ],
  ])('refuses %j', (request, message) => {
    expect(() => setUp().engine.stream(request)).toThrow(message);
  });
});
