/** Finished sections of a long text in the work folder: what is known of their parts as JSON, their numbers as float32. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { problems } from '../../engine/bad-case.ts';
import type { KeptPart, KeptSections } from '../../engine/long-text/kept-sections.ts';
import type { PlannedPart } from '../../engine/plan/plan.ts';
import { replaceWhole } from '../../files/file-system.ts';
import { bytesOf, floatsOf } from '../../float-arrays.ts';
import { textPrint, type WorkFolder } from './work-folder.ts';

const count = z.int().min(0);
const attempt = z.object({
  part: count,
  seed: count,
  problem: z.enum(problems).optional(),
  transcript: z.string().optional(),
  wordErrorRate: z.number().optional(),
  failure: z.string().optional(),
});
/** Arrays of numbers are in the other file, one after the other; here are their lengths. */
const keptPart = z.object({
  count,
  seed: count,
  end: z.enum(['stop', 'limit']),
  isSilent: z.boolean(),
  tries: z.array(attempt),
  samples: count,
  patches: count,
  reading: z.object({ text: z.string(), tokenStarts: z.array(count), patches: z.array(count) }).optional(),
});
const keptSection = z.object({
  print: z.string().optional(),
  /** SHA-256 of the other file, hexadecimal. */
  hash: z.string().optional(),
  parts: z.array(keptPart),
});

export function createKeptParts(work: WorkFolder): KeptSections & { recalled(): number } {
  let recalled = 0;
  return {
    /** Samples that were not spoken in this run. */
    recalled: () => recalled,
    async read(section) {
      const name = sectionName(section);
      const kept = await work.read(name, keptSection);
      if (kept?.parts.length !== section.length) return undefined;
      if (kept.print !== undefined && kept.print !== printOf(section)) return undefined;
      const bytes = await readFile(work.path(floats(name))).catch(() => undefined);
      // Earlier versions kept no hash.
      if (bytes === undefined || (kept.hash !== undefined && kept.hash !== hashOf([bytes]))) return undefined;
      const values = bytes.length % 4 === 0 ? floatsOf(bytes) : new Float32Array(0);
      if (!values.every(isPlausible)) return undefined;
      let at = 0;
      const take = (size: number): Float32Array => {
        at += size;
        return values.slice(at - size, at);
      };
      const parts = kept.parts.map(
        ({ samples, patches, reading, ...part }): KeptPart => ({
          ...part,
          samples: take(samples),
          patches: take(patches),
          reading: reading && {
            text: reading.text,
            tokenStarts: Int32Array.from(reading.tokenStarts),
            patches: reading.patches.map(take),
          },
        }),
      );
      if (at !== values.length) return undefined;
      recalled += parts.reduce((sum, { samples }) => sum + samples.length, 0);
      return parts;
    },
    async keep(section, parts) {
      const name = sectionName(section);
      const arrays = parts.flatMap(({ samples, patches, reading }) => [samples, patches, ...(reading?.patches ?? [])]);
      const path = work.path(floats(name));
      const bytes = arrays.map(bytesOf);
      await work.write(() => replaceWhole(path, (partial) => writeFile(partial, bytes)));
      await work.keep(name, {
        print: printOf(section),
        hash: hashOf(bytes),
        parts: parts.map(({ count, seed, end, isSilent, tries, samples, patches, reading }) => ({
          ...{ count, seed, end, isSilent, tries },
          samples: samples.length,
          patches: patches.length,
          reading: reading && {
            text: reading.text,
            tokenStarts: [...reading.tokenStarts],
            patches: reading.patches.map(({ length }) => length),
          },
        })),
      });
    },
  };
}

const sectionName = ([first]: readonly PlannedPart[]): string =>
  `part-${String((first?.index ?? 0) + 1).padStart(5, '0')}`;
const printOf = (section: readonly PlannedPart[]): string =>
  textPrint(section.map(({ text, style, voice, rate }) => [text, style, voice, rate]));
const hashOf = (pieces: readonly Uint8Array[]): string => {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
};
/** Samples and latents are small numbers. */
const isPlausible = (value: number): boolean => Math.abs(value) < 1e6;
const floats = (name: string): string => `${name}.f32`;
