/** Names of currencies, which `Intl` has for each language. */
import type { LanguageSettings } from './settings.ts';

/** The country of a dollar, which isn't written. */
const usual = /^(?:US|U\.S\.)[- ]|[- ](?:US|USA)$/u;

/**
 * A currency's name for a number of it, by its code of ISO 4217, or `$`, `¥`, `kr` and `cent`, which several countries share.
 */
export function currencyNameOf(
  intlTag: string,
  { home, capitalizesNouns, country, tidyCurrency }: LanguageSettings,
  code: string,
  count: number,
): string {
  const krona = /^(?:SEK|NOK|DKK)$/.test(home?.[0] ?? '') ? home?.[0] : 'DKK';
  const currency = { $: 'USD', '¥': 'JPY', kr: krona }[code] ?? code;
  if (!/^[A-Z]{3}$/.test(currency)) return code === 'cent' ? 'cent' : code;
  const written =
    new Intl.NumberFormat(intlTag, {
      style: 'currency',
      currency,
      currencyDisplay: 'name',
      minimumFractionDigits: 0,
    })
      .formatToParts(count)
      .findLast(({ type }) => type === 'currency')?.value ?? currency;
  const plain = written.replaceAll('\u200b', '');
  const full = tidyCurrency?.(plain) ?? plain;
  const words = full.split(' ');
  const homeName = home?.[1] === 'first' ? words[0] : words.at(-1);
  const name = (code === '$' ? full.replace(country ?? usual, '') : home?.[0] === currency ? homeName : full) ?? full;
  return capitalizesNouns ? name : name.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
}
