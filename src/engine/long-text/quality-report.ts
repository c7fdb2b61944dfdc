/** Faults that remain in the parts of a speech, as warnings for people. */
import { type Problem, silenceWarning, subjectOf } from '../bad-case.ts';
import type { PartOutcome } from './speak-part.ts';

const remaining = {
  words: 'not recognized as written, even in the best attempt; try another seed or more attempts',
  short: 'too short for the text; words may be missing',
  clipped: 'clipped',
} as const satisfies Partial<Record<Problem, string>>;

export function createQualityReport() {
  const silent: number[] = [];
  const found = new Map<keyof typeof remaining, number[]>();
  const unchecked: number[] = [];
  let failure = '';
  let parts = 0;
  return {
    /** Call for each part, in order. */
    add({ part, tries, seed, isSilent }: PartOutcome): void {
      parts += 1;
      if (isSilent) silent.push(part.index);
      const attempt = tries.find((candidate) => candidate.seed === seed);
      const problem = attempt?.problem;
      if (problem !== undefined && problem in remaining) {
        const kind = problem as keyof typeof remaining;
        const indices = found.get(kind);
        if (indices === undefined) found.set(kind, [part.index]);
        else indices.push(part.index);
      }
      if (attempt?.failure === undefined) return;
      unchecked.push(part.index);
      failure ||= attempt.failure;
    },
    /** One line for each kind of problem. */
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
