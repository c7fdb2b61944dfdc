/** Formulas of a page, in MathML with other forms beside it, as words. */
import { noAlternative } from '../engine/script/alternatives.ts';
import { sayFormula } from '../engine/script/formula.ts';

/** Rows of signs and names, which are read from left to right. */
const linear = new Set(
  'mrow mi mn mo mtext mspace mstyle semantics annotation annotation-xml mpadded mphantom'.split(' '),
);

export type Formula = ReturnType<typeof createFormula>;

/** A formula that is being read. @param alternative the description that the page gives */
export function createFormula(alternative: string | undefined) {
  const words: string[] = [];
  let isLinear = true;
  let isLatex = false;
  /** Whether this is inside of another form of the same formula. */
  let ignores = false;
  return {
    open(name: string, { encoding }: Readonly<Record<string, string>>): void {
      if (name === 'annotation' && /tex/i.test(encoding ?? '')) {
        isLatex = true;
        words.length = 0;
      } else if (name.startsWith('annotation')) ignores = true;
      else if (!ignores && !linear.has(name)) isLinear = false;
    },
    text(text: string): void {
      if (!ignores) words.push(text);
    },
    close(name: string): void {
      if (name.startsWith('annotation')) ignores = false;
    },
    /** The formula in words; undefined for one without. */
    said(): string | undefined {
      const described = alternative !== undefined && noAlternative.test(alternative) ? undefined : alternative;
      const written = described ?? (isLatex ? words.join('') : undefined);
      if (written !== undefined && written.trim() !== '') return saidOf(written);
      const row = words.join(' ').replace(/\s+/gu, ' ').trim();
      return isLinear && row !== '' ? (sayFormula(row) ?? row) : undefined;
    },
  };
}

/** The name of a function, where it is no command of LaTeX. */
const plainFunction = /(?<![\\\p{L}])(sin|cos|tan|log|ln)(?!\p{L})/gu;
/** Words of a language, and no names of functions. */
const isDescribed = (written: string): boolean =>
  !/[\\{}^_]/.test(written) &&
  /(?<!\p{L})(?!(?:sin|cos|tan|log|lim|max|min|mod|exp|det)(?!\p{L}))\p{L}{3}/u.test(written);

function saidOf(written: string): string | undefined {
  if (isDescribed(written)) return written.replace(/\s+/gu, ' ').trim();
  const said = sayFormula(written.replace(plainFunction, '\\$1'));
  if (said !== undefined) return said;
  return /[\\{}]/.test(written) ? undefined : written.replace(/\s+/gu, ' ').trim();
}
