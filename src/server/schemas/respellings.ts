/** Pronunciations in JSON: respellings by the words that they replace. */
import { z } from 'zod';
import { longestEntry } from '../../engine/lexicon/lexicon.ts';
import { recordOf } from '../../validation.ts';

/** Most respellings of one request; more of them take long to compile. */
const mostEntries = 10_000;

const error = `a text of 1 to ${longestEntry} characters`;
const respelling = z.string({ error }).min(1, { error }).max(longestEntry, { error });

export const respellings = recordOf(respelling, {
  most: mostEntries,
  longest: longestEntry,
  fits: (value) => typeof value === 'string' && value.length > 0 && value.length <= longestEntry,
  error: `an object of at most ${mostEntries} words of 1 to ${longestEntry} characters with their respellings`,
}).meta({ additionalProperties: { type: 'string', minLength: 1, maxLength: longestEntry } });
