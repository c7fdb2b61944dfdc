/** Burmese. */
import * as generated from '../generated/my.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('my', generated, {
  words: `
    isUnspaced: yes; to: မှ; clock: {0}နာရီ{1}မိနစ်;
  `,
});
