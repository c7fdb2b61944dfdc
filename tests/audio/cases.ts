import { casesIn } from '../support/rows.ts';

export const cases = casesIn('tests/audio/cases.tsv');
