/**
 * Numbers as words, by the rules of Unicode CLDR for rule-based number formats (UTS 35, part 3): of the rules of a set, the
 * one with the largest base up to the number applies, and says quotient and remainder by its divisor.
 */

interface Rule {
  readonly base: number;
  readonly divisor: number;
  readonly text: string;
}
interface RuleSet {
  readonly rules: readonly Rule[];
  /** What stands before a negative number, and between whole part and fraction. */
  readonly minus: string | undefined;
  readonly point: string | undefined;
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
  /** What the language says before a negative number. */
  readonly minus: () => string | undefined;
  /** What the language says for the decimal mark. */
  readonly point: () => string | undefined;
}

function parseRule(base: string, text: string): Rule {
  const [from = '', radix = '10'] = base.split('/');
  const [number, root] = [Number(from), Number(radix)];
  let divisor = 1;
  while (divisor * root <= number) divisor *= root;
  return { base: number, divisor, text: text.replace(/^'/, '') };
}

function parseSets(text: string): RuleSets {
  const create = () => ({
    rules: [] as Rule[],
    minus: undefined as string | undefined,
    point: undefined as string | undefined,
    kept: [] as string[],
  });
  const sets = new Map<string, ReturnType<typeof create>>();
  let current = create();
  for (const line of text.trim().split('\n')) {
    if (line.startsWith('%')) {
      current = create();
      sets.set(line, current);
      continue;
    }
    const space = line.indexOf(' ');
    const [base, text] = [line.slice(0, space), line.slice(space + 1)];
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
const substitution = /([←=])([^←→=]*)\1|→([^←→=]*)→/g;
const plural = /\$\(cardinal,([^)]*)\)\$/g;
const optional = /\[([^[\]|]*)(?:\|([^[\]]*))?\]/g;
interface Plurals {
  readonly rules: Intl.PluralRules;
  /** Of small numbers, which are frequent. */
  readonly kept: Map<number, Intl.LDMLPluralRule>;
}
const pluralRules = new Map<string, Plurals>();

/** The plural category of a number, by the rules of CLDR. @param digits behind the decimal mark as it is written */
export function pluralCategory(language: string, number: number, digits = 0): Intl.LDMLPluralRule {
  const key = `${language}${digits}`;
  const known = pluralRules.get(key) ?? {
    rules: new Intl.PluralRules(language, { minimumFractionDigits: digits }),
    kept: new Map(),
  };
  pluralRules.set(key, known);
  const { rules, kept } = known;
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

  function format(name: string, number: number): string {
    const set = sets().get(name);
    if (set === undefined || number > mostKept) return formatAnew(name, set?.rules ?? [], number);
    const spoken = set.kept[number] ?? formatAnew(name, set.rules, number);
    set.kept[number] = spoken;
    return spoken;
  }

  function formatAnew(name: string, rules: readonly Rule[], number: number): string {
    let index = rules.length - 1;
    while (index > 0 && (rules[index] as Rule).base > number) index -= 1;
    let rule = rules[index];
    if (rule === undefined) return String(number);
    // A rule with two substitutions gives a multiple of its divisor to the rule before it.
    if (
      number % rule.divisor === 0 &&
      rule.base % rule.divisor !== 0 &&
      rule.text.includes('←') &&
      rule.text.includes('→')
    ) {
      rule = rules[index - 1] ?? rule;
    }
    const { divisor, text } = rule;
    const remainder = number % divisor;
    const quotient = Math.floor(number / divisor);
    return text
      .replace(optional, (_, withRest: string, without = '') => (divisor > 1 && remainder === 0 ? without : withRest))
      .replace(plural, (_, forms: string) => chooseForm(language, forms, quotient))
      .replace(substitution, (_, sign: string | undefined, other = '', ofRemainder = '') => {
        const used = sign === undefined ? ofRemainder : other;
        if (/^[#0]/.test(used)) return String(number);
        const value = sign === '=' ? number : sign === '←' ? quotient : remainder;
        return format(used === '' ? name : used, value);
      });
  }

  return {
    spellOut: (form, number) => format(`%spellout-${form}`, number),
    hasForm: (form) => sets().has(`%spellout-${form}`),
    minus: () => [...sets().values()].find(({ minus }) => minus !== undefined)?.minus,
    point: () => [...sets().values()].find(({ point }) => point !== undefined)?.point,
  };
}
