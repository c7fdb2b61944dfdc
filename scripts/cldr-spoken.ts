/**
 * Writes what the languages of VoxCPM 2 need to speak numbers, units and dates, from CLDR and `Intl`: a file for each language
 * in `src/engine/text/verbalize/generated`. Run it after an update of the packages: `npx tsx scripts/cldr-spoken.ts`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { cachePackage } from './registry-package.js';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'src/engine/text/verbalize/generated');

/** As BCP 47 tags; CLDR calls three of them otherwise. */
export const languages =
  'ar my zh da nl en fi fr de el he hi id it ja km ko lo ms nb pl pt ru es sw sv tl th tr vi'.split(' ');
const ruleFiles: Readonly<Record<string, string>> = { nb: 'no', tl: 'fil' };
const unitFolders: Readonly<Record<string, string>> = { tl: 'fil' };

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** Not a dependency of the project: its units of all languages are 88 MB. */
const unitsPackage = {
  name: 'cldr-units-full',
  version: '46.1.0',
  integrity: 'sha512-F3cvcOjoGnH9sCxYIZopkesn4CxB5fI00gsv51MpIFtbjvJoMD/DzvHmAumbRCzDaHzCkZn0Fcb18yDkq7CHOQ==',
  files: languages.map((language) => `package/main/${unitFolders[language] ?? language}/units.json`),
};

type Rule = readonly [base: string, text: string];
type RuleSets = Readonly<Record<string, readonly Rule[]>>;

/** Forms that numbers take in speech; other cases and plurals are left out. */
const roots =
  /^%spellout-(?:numbering(?:-year(?:-latn)?)?|(?:cardinal|ordinal)(?:-(?:masculine|feminine|neuter|reale|common|native|sinokorean|native-attributive|n|r|masculine-genitive|neuter-genitive|masculine-prepositional))?)$/;
/** German has `-n` of ordinals alone. */
const isRoot = (language: string, name: string): boolean =>
  (roots.test(name) && name !== '%spellout-cardinal-n' && !/cardinal.*(genitive|prepositional)/.test(name)) ||
  cases[language]?.test(name) === true;
/** Cases of CLDR's forms, for languages whose numbers agree with their sentence where its case is known. */
const cases: Readonly<Record<string, RegExp>> = {
  ru: /^%spellout-(?:cardinal-masculine-(?:genitive|dative|prepositional|instrumental)|ordinal-(?:masculine|neuter)-dative)$/,
  pl: /^%spellout-(?:cardinal-masculine-(?:genitive|instrumental)|ordinal-(?:masculine|feminine)-locative)$/,
  fi: /^%spellout-(?:cardinal-(?:genitive|partitive|essive|translative|inessive|elative|illative|adessive|ablative|allative)|ordinal-(?:genitive|inessive))$/,
};

function ruleSetsOf(language: string): RuleSets {
  const { rbnf } = read(join(root, 'node_modules', `cldr-rbnf/rbnf/${ruleFiles[language] ?? language}.json`)) as {
    rbnf: { rbnf: { SpelloutRules: RuleSets } };
  };
  const all = rbnf.rbnf.SpelloutRules;
  const kept = new Map<string, readonly Rule[]>();
  const keep = (name: string): void => {
    const rules = all[name];
    if (rules === undefined || kept.has(name) || !Array.isArray(rules)) return;
    kept.set(name, rules);
    for (const [, text] of rules) for (const [used] of text.matchAll(/%%?[\w-]+/g)) keep(used);
  };
  for (const name of Object.keys(all)) if (isRoot(language, name)) keep(name);
  return Object.fromEntries(kept);
}

const teens = '1 jede\n2 dwu\n3 trzy\n4 czter\n5 pięt\n6 szes\n7 siedem\n8 osiem\n9 dziewięt';
/** The Lao rules have these words in Thai script, those of Tagalog an older spelling, the Polish ones stems of 5, 6 and 9 without their softening. */
const corrections: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  lo: [
    [/ร้อย/g, 'ຮ້ອຍ'],
    [/พัน/g, 'ພັນ'],
    [/หมื่น/g, 'ໝື່ນ'],
    [/แสน/g, 'ແສນ'],
    [/ล้าน/g, 'ລ້ານ'],
    [/ศูนย์/g, 'ສູນ'],
    [/ลบ/g, 'ລົບ'],
    [/จุด/g, 'ຈຸດ'],
    [/ที่/g, 'ທີ'],
  ],
  pl: [
    [/^(5 pie\u0328|9 dziewie\u0328)t$/gm, '$1ć'],
    [/^6 szes$/gm, '6 sześć'],
    // It has the tens of `pięćdziesiąty` in `piętnasty` too.
    [/^(?=%%ordinal-tens$)/m, `%%ordinal-teens\n${teens}\n`],
    [/→%%ordinal-tens→(?=na)/g, '→%%ordinal-teens→'],
  ],
  tl: [
    [/wala\u0302/g, 'sero'],
    [/[́̂]/g, ''],
    [/’/g, "'"],
  ],
};
const corrected = (language: string, text: string): string =>
  (corrections[language] ?? []).reduce(
    (current, [pattern, replacement]) => current.normalize('NFD').replace(pattern, replacement).normalize('NFC'),
    text,
  );

/** Rules as lines: the name of a set, then a base and a text each. */
const rulesAsText = (language: string): string =>
  Object.entries(ruleSetsOf(language))
    .map(([name, rules]) => {
      const lines = rules
        .filter(([base]) => /^\d|^-x$|^x[.,]x$/.test(base))
        .map(([base, text]) => `${base} ${text.replace(/;$/, '').replaceAll('\u00ad', '').replaceAll('\u200b', '')}`);
      return [name, ...lines].join('\n');
    })
    .map((text) => corrected(language, text))
    .join('\n');

/** Units by the ids of CLDR, without their categories. */
const units = `
  acre ampere atmosphere bar bit byte calorie celsius centimeter cubic-centimeter cubic-foot cubic-inch cubic-kilometer
  cubic-meter day deciliter decimeter degree dot-per-inch fahrenheit fluid-ounce foot gallon gigabit gigabyte gigahertz
  gigawatt gram hectare hectoliter hectopascal hertz horsepower hour inch joule kelvin kilobit kilobyte kilocalorie
  kilogram kilohertz kilojoule kilometer kilometer-per-hour kilopascal kilowatt kilowatt-hour knot liter lumen lux
  megabit megabyte megahertz megapascal megapixel megawatt meter meter-per-second meter-per-square-second microgram
  micrometer microsecond mile mile-per-gallon mile-per-hour milliampere millibar milligram milliliter millimeter
  millimeter-ofhg millisecond milliwatt minute month nanometer nanosecond nautical-mile newton ohm ounce pascal percent
  permille petabyte pint pixel pound pound-force-per-square-inch quart second square-centimeter square-foot square-inch
  square-kilometer square-meter square-mile stone terabit terabyte ton tonne volt watt week yard year`
  .trim()
  .split(/\s+/);

type UnitPatterns = Readonly<Record<string, string>>;

function unitsAsText(language: string): string {
  const name = unitFolders[language] ?? language;
  const { main } = read(join(cachePackage(unitsPackage), 'main', name, 'units.json')) as {
    main: Record<string, { units: { long: Record<string, UnitPatterns> } }>;
  };
  const long = main[name]?.units.long ?? {};
  const byId = new Map(Object.entries(long).map(([key, patterns]) => [key.replace(/^[a-z]+-/, ''), patterns]));
  const lines = units.map((id) => {
    const patterns = byId.get(id);
    if (patterns === undefined) throw new Error(`CLDR has no unit ${id} in ${language}`);
    const counts = Object.entries(patterns).flatMap(([key, pattern]) => {
      const [, count] = /^unitPattern-count-(\w+)$/.exec(key) ?? [];
      return count === undefined ? [] : [`${count}=${pattern}`];
    });
    // Counts that are said as "other" are left out.
    const other = counts.find((entry) => entry.startsWith('other='))?.slice('other='.length);
    const kept = counts.filter((entry) => entry.startsWith('other=') || entry.slice(entry.indexOf('=') + 1) !== other);
    const gender = patterns.gender === undefined ? '' : `@${patterns.gender}|`;
    const per = patterns.perUnitPattern === undefined ? '' : `|per=${patterns.perUnitPattern}`;
    return `${id} ${gender}${kept.join('|')}${per}`;
  });
  const { compoundUnitPattern = '{0}/{1}' } = long.per ?? {};
  return [...lines, `per ${compoundUnitPattern}`]
    .join('\n')
    .replaceAll('\u200b', '')
    .replaceAll(/[\u00a0\u202f]/g, ' ')
    .replaceAll(' pr. ', ' per ');
}

/** Tags of `Intl`, where they differ. */
const intlTag = (language: string): string => (language === 'tl' ? 'fil' : language);
const settings = { calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC' } as const;

/** Months as dates say them, and as they are written. */
function monthsOf(language: string): {
  readonly names: readonly string[];
  readonly written: ReadonlyMap<string, number>;
} {
  const names: string[] = [];
  const written = new Map<string, number>();
  const form = (options: Intl.DateTimeFormatOptions, month: number): string =>
    new Intl.DateTimeFormat(intlTag(language), { ...settings, ...options })
      .formatToParts(new Date(Date.UTC(2025, month, 15)))
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

/** The order of a date's parts, and what is between them: `{day}. {month} {year}`. */
function datePattern(language: string, year: object): string {
  const format = new Intl.DateTimeFormat(intlTag(language), { ...settings, day: 'numeric', month: 'long', ...year });
  return (
    format
      .formatToParts(new Date(Date.UTC(2025, 0, 15)))
      .filter(({ type }) => type !== 'era')
      // Older ICU writes a Burmese comma after the year, newer doesn't.
      .map(({ type, value }) => (type === 'literal' ? value.replace(/\.|г\.|年|月|日|၊/gu, '') : `{${type}}`))
      .join('')
  );
}

/** `Mo=Montag` */
function weekdaysOf(language: string): string {
  const name = (weekday: 'long' | 'short', day: number): string =>
    new Intl.DateTimeFormat(intlTag(language), { weekday, timeZone: 'UTC' })
      .format(Date.UTC(2024, 0, day))
      .replace(/\.$/, '');
  return [1, 2, 3, 4, 5, 6, 7].map((day) => `${name('short', day)}=${name('long', day)}`).join('|');
}

function decimalMarkOf(language: string): '.' | ',' {
  const parts = new Intl.NumberFormat(intlTag(language), { numberingSystem: 'latn' }).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';
}

const calendarOf = (language: string): string => {
  const { names, written } = monthsOf(language);
  return `
/** Months and weekdays as they are said and written, and the order of dates. Source: \`Intl\`. */
export const calendar = {
  months: '${names.join('|')}',
  written: '${[...written].map(([name, month]) => `${name}=${month}`).join('|')}',
  weekdays: '${weekdaysOf(language)}',
  dayAndMonth: '${datePattern(language, {})}',
  date: '${datePattern(language, { year: 'numeric' })}',
  decimalMark: '${decimalMarkOf(language)}',
} as const;
`;
};

/** The generated module of a language; English and Chinese say units and dates themselves. */
export const moduleOf = (language: string): string => {
  const saysItself = language === 'en' || language === 'zh';
  return `/**
 * Generated by scripts/cldr-spoken.ts from Unicode CLDR (Unicode License v3). A set of rules for numbers begins with its name;
 * each rule has the number from which it is used, and its text.${
   saysItself
     ? ''
     : ` A unit has its id, its grammatical gender, the pattern of
 * each plural category, and that of "per unit".`
 }
 */
export const numberRules = \`
${rulesAsText(language)}
\`;
${saysItself ? '' : `\nexport const unitNames = \`\n${unitsAsText(language)}\n\`;\n${calendarOf(language)}`}`;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(folder, { recursive: true });
  for (const language of languages) writeFileSync(join(folder, `${language}.ts`), moduleOf(language));
}
