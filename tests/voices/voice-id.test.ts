import { describe, expect, it } from '@jest/globals';
import { parseNewVoiceId, parseVoiceId } from '../../src/voices/voice-id.ts';
import { casesIn } from '../support/rows.ts';

describe('parseVoiceId', () => {
  it.each(['a', '-', '_', 'Anna', 'v1.2_b-3', '7', 'a'.repeat(64), '小明', 'Zoë', 'हिन्दी', 'a..b'])(
    'takes %s',
    (id) => {
      expect(parseVoiceId(id)).toBe(id);
    },
  );

  it.each(casesIn('tests/voices/cases.tsv')('no voice name'))('refuses $case, in one line', ({ given: id }) => {
    expect(() => parseVoiceId(id)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    expect(() => parseVoiceId(id)).toThrow(/^a voice name must be 1 to 64 letters, .*, got [^\n]*$/);
  });

  it.each([undefined, null, 1, {}, ['a']])('refuses %p', (id) => {
    expect(() => parseVoiceId(id)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });

  it('treats two encodings of the same letter as equal', () => {
    expect(parseVoiceId('Zoe\u0308')).toBe(parseVoiceId('Zo\u00eb'));
    expect(parseVoiceId('anna')).not.toBe(parseVoiceId('Anna'));
  });
});

describe('parseNewVoiceId', () => {
  it("reserves the name of the model's own voice", () => {
    expect(() => parseNewVoiceId('default')).toThrow(
      'a voice cannot be named "default", which is the model\'s own voice',
    );
    expect(['Default', 'default-1', 'alloy'].map(parseNewVoiceId)).toEqual(['Default', 'default-1', 'alloy']);
  });
});
