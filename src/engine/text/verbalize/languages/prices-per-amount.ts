/** `3 TL/100 g`, where what is paid for is said before the price. */
import { measures } from '../classes/measures.ts';
import { money } from '../classes/money.ts';
import type { SemioticClass } from '../language.ts';
import { cursorAt, foundAt } from '../place.ts';
import { fill } from './settings.ts';

/** @param pattern with the price as `{0}` */
export const pricesPerAmount = (pattern: string): SemioticClass => ({
  begins: 'digit',
  find(place) {
    const price = money.find(place, cursorAt(place));
    if (price?.meaning.kind !== 'money' || place.text[price.end] !== '/') return undefined;
    const behind = { ...place, start: price.end + 1 };
    const amount = measures.find(behind, cursorAt(behind));
    if (amount?.meaning.kind !== 'measure') return undefined;
    const { say } = place.language;
    const said = [say.money(price.meaning, place, price.end), say.measure(amount.meaning, behind, amount.end)];
    return foundAt({ text: place.text, at: amount.end }, fill(pattern, ...said.map((words) => words ?? '')));
  },
});
