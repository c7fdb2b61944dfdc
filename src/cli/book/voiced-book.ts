/** The voices of a book, chosen among those that are stored. */
import type { Cast } from '../../book/cast.ts';
import type { VoicedBook } from '../../book/voice-book.ts';
import { entriesOf, type LexiconEntry, overlayLexicon } from '../../engine/lexicon/lexicon.ts';
import { SvcError } from '../../errors.ts';
import type { ScriptVoiceChoices } from '../../voices/script-voices.ts';
import { type CommandVoices, chooseNamedVoices, voiceRevision } from '../options/voice-choice.ts';

/** @throws SvcError VOICE_NOT_FOUND, saying who names the voice */
export async function chooseBookVoices(
  { voices: named }: Pick<VoicedBook, 'voices'>,
  voices: CommandVoices,
): Promise<ScriptVoiceChoices> {
  const choices = new Map<string, ScriptVoiceChoices[string]>();
  for (const { name, stored, place } of named) {
    const chosen = await chooseNamedVoices({ [name]: stored }, undefined, voices).catch((error: unknown) => {
      if (!(error instanceof SvcError)) throw error;
      throw new SvcError(error.code, `${place}: ${error.message}`, { param: error.param, cause: error.cause });
    });
    for (const [own, choice] of Object.entries(chosen)) choices.set(own, choice);
  }
  return Object.fromEntries(choices);
}

/** Digest of what the audio of a book depends on besides its text: nothing for one without voices of its own. */
export async function castRevision(
  { voices: named }: Pick<VoicedBook, 'voices'>,
  cast: Cast | undefined,
  voices: CommandVoices,
): Promise<readonly unknown[]> {
  if (named.length === 0 && cast === undefined) return [];
  const revisions = await Promise.all(
    named.map(async ({ name, stored }) => [name, stored, await voiceRevision(stored, voices)]),
  );
  return [revisions, cast ?? null];
}

/** The pronunciations of a chapter; those of the options take precedence. */
export function lexiconOf(
  cast: Cast | undefined,
  number: number,
  own: readonly LexiconEntry[] | undefined,
): readonly LexiconEntry[] | undefined {
  const chapter = cast?.chapters?.find((entry) => entry.chapter === number);
  const all = overlayLexicon(entriesOf(cast?.pronunciations), entriesOf(chapter?.pronunciations));
  return all.length === 0 ? own : overlayLexicon(all, own);
}

/** Seconds of silence after a chapter; undefined for the usual. */
export const pauseAfterChapter = (cast: Cast | undefined, number: number): number | undefined =>
  cast?.chapters?.find((entry) => entry.chapter === number)?.pause ?? cast?.pauses?.chapter;
