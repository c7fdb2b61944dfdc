/** Faults that remain in the parts of a speech, as warnings for people. */
import { type Problem, silenceWarning, subjectOf } from '../bad-case.ts';
import { attemptOf, type PartOutcome } from './speak-part.ts';

const remaining: Partial<Record<Problem, string>> = {
  words: 'not recognized as written, even in the best attempt; try another seed or more attempts',
  short: 'too short for the text; words may be missing',
  clipped: 'clipped',
};

export function createQualityReport() {
  const silent: number[] = [];
  const found = new Map<Problem, number[]>();
  const unchecked: number[] = [];
  let failure = '';
  let parts = 0;
  return {
    /** Call for each part, in order. */
    add(outcome: PartOutcome): void {
      const { index } = outcome.part;
      const { problem, failure: reason } = attemptOf(outcome) ?? {};
      parts += 1;
      if (outcome.isSilent) silent.push(index);
      if (problem !== undefined && problem in remaining) {
        if (!found.has(problem)) found.set(problem, []);
        found.get(problem)?.push(index);
      }
      if (reason === undefined) return;
      unchecked.push(index);
      failure ||= reason;
    },
    warnings(): readonly string[] {
      const silence = silenceWarning(silent, parts);
      return [
        ...(silence === undefined ? [] : [silence]),
        ...[...found].map(([kind, indices]) => `${subjectOf(indices, parts)} ${remaining[kind]}`),
        ...(unchecked.length === 0 ? [] : [`${subjectOf(unchecked, parts)} unchecked: ${failure}`]),
      ];
    },
  };
}
