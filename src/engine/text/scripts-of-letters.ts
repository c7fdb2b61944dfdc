/** Names of the scripts of characters, such as `Cyrillic`. */

/** ISO 15924 codes of the scripts in which languages are written today. */
const codes =
  'Latn Grek Cyrl Armn Hebr Arab Syrc Thaa Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Thai Laoo Tibt Mymr Geor Hang Ethi Cher Cans Khmr Mong Hira Kana Bopo Hani Yiii Tfng Adlm Vaii Java Bali Sund Olck'.split(
    ' ',
  );

const patterns = codes.map((code) => ({ code, pattern: new RegExp(`\\p{Script=${code}}`, 'u') }));
const names = new Intl.DisplayNames(['en'], { type: 'script' });

/** English names of the scripts, in the order of their first characters; none for signs and digits, which have no script. */
export function scriptNames(characters: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const character of characters) {
    const script = patterns.find(({ pattern }) => pattern.test(character));
    if (script !== undefined) found.add(names.of(script.code) ?? script.code);
  }
  return [...found];
}
