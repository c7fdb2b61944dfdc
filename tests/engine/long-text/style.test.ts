/** Styles in front of a text: what of them reaches the model in each part. */
import { describe, expect, it } from '@jest/globals';
import { requestInVoice } from '../../../src/engine/accepted.ts';
import { initialVoice, learnVoice, partRequest } from '../../../src/engine/long-text/part-voice.ts';
import { type SynthesisRequest, targetText } from '../../../src/engine/request.ts';
import { accept, partsOf } from '../../support/accept.ts';
import { fakeInfo } from '../fake-backend.ts';

const info = { ...fakeInfo, architecture: 'voxcpm2', limits: { maxTextCharacters: 40 } } as const;
const audio = { samples: Float32Array.of(0.5), sampleRate: 16_000, channels: 1 };
const reference = { referenceAudio: audio };
const prompt = { promptAudio: audio, promptText: 'Prompt.' };
const promptAlone = { referenceAudio: undefined, ...prompt };
const sentences = ['One is the first of the words.', 'Two is the next of the words.'];
const long = sentences.join(' ');

/** The text that the model gets for each part. */
const targets = (request: SynthesisRequest, architecture: 'voxcpm' | 'voxcpm2' = 'voxcpm2'): readonly string[] => {
  const model = { ...info, architecture };
  const accepted = accept({ ...reference, ...request }, model);
  return partsOf(accepted, model).map((part) => {
    const own = requestInVoice(accepted, part.voice);
    return targetText(partRequest(own, part, initialVoice(own)));
  });
};

type Voices = SynthesisRequest['voices'];
const dialogue = (text: string, voices: Voices): SynthesisRequest => ({ text, inputFormat: 'script', voices });
const two = { Anna: reference, Ben: reference };

describe('a style in front of a text', () => {
  it.each<readonly [what: string, request: SynthesisRequest, expected: readonly string[]]>([
    ['becomes control', { text: '(calm, slow) Hello.' }, ['(calm, slow)Hello.']],
    ['may have full-width brackets', { text: '（粤语，平淡）你好。' }, ['(粤语，平淡)你好。']],
    ['may follow white space', { text: ' \n(calm)\nHello.' }, ['(calm)Hello.']],
    ['is added to control', { text: '(slow) Hello.', control: 'calm' }, ['(calm, slow)Hello.']],
    ['follows control in brackets', { text: '（slow）Hello.', control: '((calm))' }, ['(calm, slow)Hello.']],
    ['counts where control is empty', { text: '(slow) Hello.', control: '()' }, ['(slow)Hello.']],
    ['holds for every part', { text: `(low) ${long}` }, sentences.map((sentence) => `(low)${sentence}`)],
    ['is cleaned, but not normalized', { text: '(a 5 “b” 🙂) I am 5.', normalize: true }, ['(a 5 "b")I am five.']],
    ['is no number of a list', { text: '(iv) Hello.' }, ['(iv) Hello.']],
    ['is no text of its own', { text: '(calm)' }, ['(calm)']],
    ['stands first', { text: 'Hello (calm) there.' }, ['Hello (calm) there.']],
    ['is one pair', { text: '(calm)(slow) Hello.' }, ['(calm)(slow) Hello.']],
    ['has an end', { text: '(calm Hello.' }, ['(calm Hello.']],
    ['is not empty', { text: '() Hello.' }, ['() Hello.']],
    ['is short', { text: `(${'a'.repeat(401)}) Hello.`, split: false }, [`(${'a'.repeat(401)}) Hello.`]],
    ['has no place after a prompt', { text: '(calm) Hello.', ...promptAlone }, ['Hello.']],
    ['is read in no part after a prompt', { text: `（low） ${long}`, ...promptAlone }, sentences],
    ['holds after Markdown', { text: '# (calm) A\n\n(B.) C.', inputFormat: 'markdown' }, ['(calm)A', '(calm)(B.) C.']],
    ['holds in SSML', { text: '<speak>(calm) One.<break/>(two) Three.</speak>' }, ['(calm)One.', '(calm)(two) Three.']],
    [
      'belongs to its voice',
      dialogue('(calm) One.\nAnna: (low) Two.\nBen: Three.\n[voice:default] Four. [voice:anna] Five.', two),
      ['(calm)One.', '(low)Two.', 'Three.', '(calm)Four.', '(low)Five.'],
    ],
    [
      'gives way to the next style of its voice',
      dialogue('Anna: (calm) One.\nBen: (low) Two.\nAnna: (glad) Three. [pause:1s] (aside) Four.', two),
      ['(calm)One.', '(low)Two.', '(glad)Three.', '(glad)(aside) Four.'],
    ],
    [
      'has no place in a voice of the script that is a prompt, and control does not reach it',
      { ...dialogue('Anna: (low) One.\nBen: (low) Two.', { Anna: prompt, Ben: reference }), control: 'calm' },
      ['One.', '(calm, low)Two.'],
    ],
  ])('%s', (_what, request, expected) => expect(targets(request)).toEqual(expected));

  it('stays text with a model before VoxCPM 2', () => {
    expect(targets({ text: '(calm) Hello.', referenceAudio: undefined }, 'voxcpm')).toEqual(['(calm) Hello.']);
  });

  it('is written again where speech that continues its beginning gets another one', () => {
    const script = '(calm) One.\nAnna: Two.\n[voice:default] Three. [voice:anna] Four. [voice:default] (glad) Five.';
    const request = accept(dialogue(script, two), info);
    const own = partsOf(request, info).filter(({ voice }) => voice === undefined);
    let voice = initialVoice(request);
    const heard = own.map((part) => {
      const spoken = partRequest(request, part, voice);
      const { text, style } = part;
      const sample = { text, style, patches: new Float32Array(6), end: 'stop', isSilent: false } as const;
      voice = learnVoice(voice, sample, info);
      return (spoken.promptText ?? '') + targetText(spoken);
    });
    expect(heard).toEqual(['(calm)One.', 'One. Three.', 'One. Three. (glad) Five.']);
  });

  it('warns where it is left out', () => {
    const warnings = (request: SynthesisRequest): readonly string[] => accept(request, info).warnings;
    expect(warnings({ text: '(calm) Hello.', ...prompt })).toEqual([
      'the style "(calm)" has no effect on prompt audio; it is left out',
    ]);
    expect(warnings(dialogue('Anna: (low) One.\nBen: (low) Two.', { Anna: prompt, Ben: reference }))).toEqual([
      'the style "(low)" has no effect on voice "Anna", which is prompt audio; it is left out',
    ]);
    expect(warnings({ text: '(calm) Hello.', ...reference })).toEqual([]);
    expect(warnings({ text: '(iv) Hello.', ...prompt })).toEqual([]);
  });

  it('warns where control does not reach a voice', () => {
    const request = { ...dialogue('Anna: One.', { Anna: prompt, Ben: reference }), control: 'calm' };
    expect(accept(request, info).warnings).toEqual(['control has no effect on voice "Anna", which is prompt audio']);
  });
});
