import { casesIn } from '../support/rows.ts';

export const cases = casesIn('tests/engine/cases.tsv');
