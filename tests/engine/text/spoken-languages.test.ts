import { describe, expect, it } from '@jest/globals';
import { spokenLanguages } from '../../../src/engine/text/languages.ts';
import { languages } from './languages.ts';

describe('spoken languages', () => {
  it('are those of the README of VoxCPM 2', () => {
    const names = new Intl.DisplayNames(['en'], { type: 'language' });
    const spoken = spokenLanguages({ architecture: 'voxcpm2', limits: {} }).map((tag) => names.of(tag));
    const other: Readonly<Record<string, string>> = { Norwegian: 'Norwegian Bokmål', Tagalog: 'Filipino' };
    expect(spoken).toEqual(Object.keys(languages).map((name) => other[name] ?? name));
  });

  it('are those on the card of a model, if it has one', () => {
    expect(spokenLanguages({ architecture: 'voxcpm2', limits: { languages: ['de'] } })).toEqual(['de']);
    expect(spokenLanguages({ architecture: 'voxcpm', limits: {} })).toEqual(['zh', 'en']);
  });
});
