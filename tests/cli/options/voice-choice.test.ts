import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { namedVoiceFolder } from '../../../src/cli/options/voice-choice.ts';

describe('the folder of voices', () => {
  it.each([
    ['the option', 'a', 'b', resolve('a')],
    ['the variable', undefined, 'b', resolve('b')],
    ['neither', undefined, undefined, undefined],
    ['neither if the variable is empty', undefined, '', undefined],
  ])('is that of %s', (_, voiceDir, variable, expected) =>
    expect(namedVoiceFolder({ voiceDir }, { environment: { SVC_VOICE_DIR: variable } })).toBe(expected),
  );

  it('has a name', () => {
    expect(() => namedVoiceFolder({ voiceDir: '' }, { environment: {} })).toThrow(
      '--voice-dir is empty: name a folder',
    );
  });
});
