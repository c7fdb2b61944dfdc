/** Formulas of LaTeX in words, where they are as simple as `$x^2$`. */
import { meaningOf } from '../../word-lists.ts';

const commands = meaningOf({
  times: 'times cdot',
  'divided by': 'div',
  'plus or minus': 'pm',
  'is at most': 'le leq',
  'is at least': 'ge geq',
  'is not equal to': 'ne neq',
  'is about': 'approx',
  to: 'to rightarrow',
  infinity: 'infty',
  in: 'in',
  'and so on': 'ldots dots cdots',
  log: 'log ln',
  sine: 'sin',
  cosine: 'cos',
  tangent: 'tan',
  percent: 'percent %',
});
const greek =
  /^(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi|chi|psi|omega)$/i;
/** Without a sound of their own. */
const silent = /^(?:left|right|,|;|!|:| |quad|qquad|displaystyle|limits)$/;
/** Commands for words and letters in another type. */
const styled = /^(?:text|mathrm|mathbf|mathit|mathbb|mathcal|operatorname|boldsymbol)$/;
const signs = meaningOf({
  plus: '+',
  minus: '- −',
  equals: '=',
  'is less than': '<',
  'is greater than': '>',
  over: '/',
  times: '* ×',
  ',': ',',
  factorial: '!',
  prime: "'",
  'is at most': '≤',
  'is at least': '≥',
});

const longest = 200;
const deepest = 4;
const tokens = /\\(?:[A-Za-z]+|.)|\d+(?:\.\d+)?|[A-Za-zα-ωΑ-Ω]|[{}^_&~\s]|./gu;

class NotSimple extends Error {}

/**
 * @returns undefined for a formula that isn't simple
 * @example sayFormula('E = mc^2') // 'E equals m c squared'
 */
export function sayFormula(latex: string): string | undefined {
  if (latex.length > longest) return undefined;
  const written = latex.match(tokens)?.filter((token) => token.trim() !== '' && token !== '~') ?? [];
  let at = 0;

  function group(depth: number): string {
    if (written[at] !== '{') return one(depth);
    at += 1;
    const words: string[] = [];
    while (at < written.length && written[at] !== '}') words.push(one(depth));
    if (written[at] !== '}') throw new NotSimple();
    at += 1;
    return words.filter(Boolean).join(' ');
  }

  function one(depth: number): string {
    if (depth > deepest) throw new NotSimple();
    const token = written[at] as string;
    if (token === undefined || token === '}') throw new NotSimple();
    if (token === '{') return group(depth + 1);
    at += 1;
    if (token === '^') return power(depth);
    if (token === '_') return `sub ${group(depth + 1)}`;
    if (token.startsWith('\\')) return command(token.slice(1), depth);
    const sign = signs.get(token);
    if (sign !== undefined) return sign;
    if (token === '(' && /^[A-Za-z]$/.test(written[at - 2] ?? '') && written[at + 1] === ')') {
      at += 2;
      return `of ${written[at - 2]}`;
    }
    if (/^[\p{L}\d.]+$/u.test(token)) return token;
    throw new NotSimple();
  }

  function power(depth: number): string {
    const exponent = group(depth + 1);
    if (exponent === '2') return 'squared';
    if (exponent === '3') return 'cubed';
    return `to the power of ${exponent}`;
  }

  function command(name: string, depth: number): string {
    if (silent.test(name)) return '';
    if (styled.test(name)) return letters(group(depth + 1));
    if (name === 'frac' || name === 'dfrac' || name === 'tfrac') return `${group(depth + 1)} over ${group(depth + 1)}`;
    if (name === 'sqrt' && written[at] !== '[') return `the square root of ${group(depth + 1)}`;
    if (greek.test(name)) return name.toLowerCase();
    const word = commands.get(name);
    if (word === undefined) throw new NotSimple();
    return word;
  }

  try {
    const words: string[] = [];
    while (at < written.length) words.push(one(0));
    const said = words
      .filter(Boolean)
      .join(' ')
      .replace(/ (?=,)/g, '');
    return said === '' ? undefined : said;
  } catch (error) {
    if (error instanceof NotSimple) return undefined;
    throw error;
  }
}

/** Letters of a word, which were read one by one. */
const letters = (spelled: string): string =>
  /^(?:\p{L} )+\p{L}$/u.test(spelled) ? spelled.replaceAll(' ', '') : spelled;
