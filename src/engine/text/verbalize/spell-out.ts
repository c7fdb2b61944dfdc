/**
 * Numbers as words, by the rules of Unicode CLDR for rule-based number formats (UTS 35, part 3): of the rules of a set, the
 * one with the largest base up to the number applies, and says quotient and remainder by its divisor.
 */

interface Rule {
  readonly base: number;
  readonly divisor: number;
  /** Words, with substitutions. */
  readonly text: string;
  /** Whether both quotient and remainder are said. */
  readonly isSplit: boolean;
}
interface RuleSet {
  readonly rules: Rule[];
  /** Word before a negative number, and between whole part and fraction. */
  minus?: string;
  point?: string;
  /** Small numbers as they were said, which are frequent, also within others. */
  readonly kept: string[];
}
type RuleSets = ReadonlyMap<string, RuleSet>;

/** A language's numbers. */
export interface Spelling {
  /**
   * An integer from 0 to 999,999,999,999,999 in the form that CLDR calls `spellout-` and `form`.
   *
   * @example spelling.spellOut('cardinal-feminine', 21) // 'veintiuna'
   */
  readonly spellOut: (form: string, number: number) => string;
  /** Whether the language has a form, such as `cardinal-feminine`. */
  readonly hasForm: (form: string) => boolean;
  /** Word of the language before a negative number. */
  readonly minus: () => string | undefined;
  /** Word of the language for the decimal mark. */
  readonly point: () => string | undefined;
}

function parseRule(base: string, text: string): Rule {
  const [from = '', radix = '10'] = base.split('/');
  const [number, root] = [Number(from), Number(radix)];
  let divisor = 1;
  while (divisor * root <= number) divisor *= root;
  const isSplit = text.includes('←') && text.includes('→');
  return { base: number, divisor, text: text.replace(/^'/, ''), isSplit };
}

/**
 * In the text of a rule: the number (`=`), its quotient (`←`) or its remainder (`→`) by the divisor, said by the named set of rules
 * or, without a name, by the same; words by the plural category of the quotient; what is said with a remainder, and without one.
 */
const substitution = /([←=→])([^←→=]*)\1|\$\(cardinal,([^)]*)\)\$|\[([^[\]|]*)(?:\|([^[\]]*))?\]/g;

function parseSets(text: string): RuleSets {
  const sets = new Map<string, RuleSet>();
  let current: RuleSet = { rules: [], kept: [] };
  for (const line of text.trim().split('\n')) {
    if (line.startsWith('%')) {
      current = { rules: [], kept: [] };
      sets.set(line, current);
      continue;
    }
    const [, base = '', text = ''] = /^(\S*) (.*)$/.exec(line) ?? [];
    if (base === '-x') current.minus = text.replaceAll('→', '').trim();
    else if (base.startsWith('x')) {
      // `x,x` is for numbers with a decimal comma.
      const [, point] = /^←[^←]*←([^→]*)→/.exec(text) ?? [];
      if (point !== undefined && (current.point === undefined || base === 'x,x')) current.point = point.trim();
    } else current.rules.push(parseRule(base, text));
  }
  return sets;
}

const mostKept = 9999;
/** Plural rules by language and digits, with the categories of small numbers, which are frequent. */
const pluralRules = new Map<string, readonly [Intl.PluralRules, Map<number, Intl.LDMLPluralRule>]>();

/** The plural category of a number, by the rules of CLDR. @param digits behind the decimal mark as it is written */
export function pluralCategory(language: string, number: number, digits = 0): Intl.LDMLPluralRule {
  const key = `${language}${digits}`;
  const known = pluralRules.get(key);
  const [rules, kept] = known ?? [new Intl.PluralRules(language, { minimumFractionDigits: digits }), new Map()];
  if (known === undefined) pluralRules.set(key, [rules, kept]);
  const category = kept.get(number) ?? rules.select(number);
  if (kept.size < mostKept) kept.set(number, category);
  return category;
}

const chooseForm = (language: string, forms: string, number: number): string =>
  new RegExp(`${pluralCategory(language, number)}\\{([^}]*)\\}`).exec(forms)?.[1] ??
  /other\{([^}]*)\}/.exec(forms)?.[1] ??
  '';

/** @param numberRules rules of CLDR, as the generated files have them; parsed when first needed */
export function createSpelling(language: string, numberRules: string): Spelling {
  let parsed: RuleSets | undefined;
  const sets = (): RuleSets => {
    parsed ??= parseSets(numberRules);
    return parsed;
  };

  function format(set: RuleSet | undefined, number: number): string {
    if (set === undefined) return String(number);
    if (number > mostKept) return formatAnew(set, number);
    const spoken = set.kept[number] ?? formatAnew(set, number);
    set.kept[number] = spoken;
    return spoken;
  }

  function formatAnew(set: RuleSet, number: number): string {
    const { rules } = set;
    const index = rules.findLastIndex(({ base }) => base <= number);
    let rule = rules[index] ?? rules[0];
    if (rule === undefined) return String(number);
    // A rule with two substitutions gives a multiple of its divisor to the rule before it.
    if (number % rule.divisor === 0 && rule.base % rule.divisor !== 0 && rule.isSplit) rule = rules[index - 1] ?? rule;
    return substitute(rule.text, rule.divisor, set, number);
  }

  function substitute(text: string, divisor: number, set: RuleSet, number: number): string {
    const quotient = Math.floor(number / divisor);
    const rest = number % divisor;
    return text.replace(substitution, (_, mark?: string, name = '', forms?: string, withRest = '', without = '') => {
      if (forms !== undefined) return chooseForm(language, forms, quotient);
      if (mark === undefined) return substitute(divisor > 1 && rest === 0 ? without : withRest, divisor, set, number);
      if (/^[#0]/.test(name)) return String(number);
      return format(name === '' ? set : sets().get(name), mark === '=' ? number : mark === '←' ? quotient : rest);
    });
  }

  return {
    spellOut: (form, number) => format(sets().get(`%spellout-${form}`), number),
    hasForm: (form) => sets().has(`%spellout-${form}`),
    minus: () => [...sets().values()].find(({ minus }) => minus !== undefined)?.minus,
    point: () => [...sets().values()].find(({ point }) => point !== undefined)?.point,
  };
}
