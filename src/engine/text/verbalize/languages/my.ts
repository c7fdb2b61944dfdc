/** Burmese. */
import * as generated from '../generated/my.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('my', generated, {
  isUnspaced: true,
  to: 'မှ',
  clock: (h, m) => `${h}နာရီ${m}မိနစ်`,
});
