/** Names of months and currencies, and the order of dates, which `Intl` has for each language. */
import type { LanguageSettings } from './settings.ts';

export const icuTag = (tag: string): string => (tag === 'tl' ? 'fil' : tag);

/** Months as dates say them, and as they are written. */
export function monthsOf(tag: string): {
  readonly names: readonly string[];
  readonly written: ReadonlyMap<string, number>;
} {
  const names: string[] = [];
  const written = new Map<string, number>();
  const date = (month: number): Date => new Date(Date.UTC(2025, month, 15));
  const form = (options: Intl.DateTimeFormatOptions, month: number): string =>
    new Intl.DateTimeFormat(icuTag(tag), { calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC', ...options })
      .formatToParts(date(month))
      .find(({ type }) => type === 'month')?.value ?? '';
  for (let month = 0; month < 12; month += 1) {
    const inDate = form({ day: 'numeric', month: 'long', year: 'numeric' }, month);
    names.push(inDate);
    for (const name of [
      inDate,
      form({ month: 'long' }, month),
      form({ day: 'numeric', month: 'short', year: 'numeric' }, month),
      form({ month: 'short' }, month),
    ]) {
      const key = name.replace(/\.$/, '').toLowerCase();
      if (/^[\p{L}\p{M}]{3,}$/u.test(key) && !written.has(key)) written.set(key, month + 1);
    }
  }
  return { names, written };
}

/** The order of a date's parts, and what stands between them. */
export function partsOfDate(tag: string, last: 'day' | 'year'): readonly Intl.DateTimeFormatPart[] {
  const format = new Intl.DateTimeFormat(icuTag(tag), {
    calendar: 'gregory',
    numberingSystem: 'latn',
    timeZone: 'UTC',
    day: 'numeric',
    month: 'long',
    ...(last === 'day' ? {} : { year: 'numeric' }),
  });
  return (
    format
      .formatToParts(new Date(Date.UTC(2025, 0, 15)))
      .filter(({ type }) => type !== 'era')
      // Older ICU writes a Burmese comma after the year, newer doesn't.
      .map(({ type, value }) => ({
        type,
        value: type === 'literal' ? value.replace(/\.|г\.|年|月|日|၊/gu, '') : value,
      }))
  );
}

/** Whose dollar it is isn't written. */
const withoutCountry = (name: string): string =>
  name
    .replace(
      /^(?:US|U\.S\.)[- ]|[- ](?:US|USA|d[eo]s Estados Unidos|des États-Unis|statunitens[ei]|estadounidenses?|americanos?|amerykańsk\p{L}*|Mỹ|AS|ABD)$/u,
      '',
    )
    .replace(/^(?:amerikansk[ea]?|Amerikaanse|美|米|미국|दॊलर|amerikkalais\p{L}*|Yhdysvaltain) ?/u, '')
    .replace(/ (?:США|ΗΠΑ|ארה״ב|أمريكي|ng Estados Unidos|ng US)$/u, '');

/**
 * A currency's name for a number of it, by its code of ISO 4217, or `$`, `¥`, `kr` and `cent`, which several countries share.
 */
export function currencyNameOf(
  tag: string,
  { home, capitalizesCurrencies }: LanguageSettings,
  code: string,
  count: number,
): string {
  const krona = /^(?:SEK|NOK|DKK)$/.test(home?.[0] ?? '') ? home?.[0] : 'DKK';
  const currency = { $: 'USD', '¥': 'JPY', kr: krona }[code] ?? code;
  if (!/^[A-Z]{3}$/.test(currency)) return code === 'cent' ? 'cent' : code;
  const full = (
    new Intl.NumberFormat(icuTag(tag), {
      style: 'currency',
      currency,
      currencyDisplay: 'name',
      minimumFractionDigits: 0,
    })
      .formatToParts(count)
      .findLast(({ type }) => type === 'currency')?.value ?? currency
  )
    .replaceAll('\u200b', '')
    .replace(/ ng$|ไทย$/, '')
    .replace(/lirası$/, 'lira');
  const words = full.split(' ');
  const homeName = home?.[1] === 'first' ? words[0] : words.at(-1);
  const name = (code === '$' ? withoutCountry(full) : home?.[0] === currency ? homeName : full) ?? full;
  return capitalizesCurrencies ? name : name.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
}
