/** Sections of a long text that are kept, so that a call that ended early can be repeated without speaking them again. */
import type { PlannedPart } from '../plan/plan.ts';
import type { PartOutcome } from './speak-part.ts';

/** A finished part without its text, which the plan has. */
export type KeptPart = Omit<PartOutcome, 'part' | 'text' | 'style'>;

export interface KeptSections {
  /** The speech of a section, if an earlier call with the same request has kept it. */
  read(section: readonly PlannedPart[]): Promise<readonly KeptPart[] | undefined>;
  /** @param parts speech of the section, one for each of its parts */
  keep(section: readonly PlannedPart[], parts: readonly KeptPart[]): Promise<void>;
}

/** Characters of three minutes of speech: what is lost when a run is killed. */
export const sectionLength = 2_500;

/** Cuts a plan into sections, which share no pass over the weights: the others don't change the last bits of one. */
export function sectionsOf(plan: readonly PlannedPart[]): readonly (readonly PlannedPart[])[] {
  const sections: PlannedPart[][] = [];
  let characters = sectionLength;
  for (const part of plan) {
    if (characters >= sectionLength) {
      sections.push([]);
      characters = 0;
    }
    sections.at(-1)?.push(part);
    characters += part.text.length;
  }
  return sections;
}
