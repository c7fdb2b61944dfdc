/** Captions that are spoken in one piece: one, or several that touch within a sentence. */
import type { SpokenCue } from '../captions/read-captions.ts';
import { quote } from '../messages.ts';

export interface DubUnit {
  readonly voice: string | undefined;
  readonly cues: readonly SpokenCue[];
}

/** Captions that are this close touch, in seconds. */
const touching = 0.12;
/** Characters of a unit: speech that is much longer drifts away from its captions. */
const longestUnit = 300;
const sentenceEnd = /[.!?…。！？؟।॥၊။៕]["'”’»)\]」』]*$/u;

/**
 * The captions with names of voices: `<v Anna>`, or a prefix such as `Anna:` of a name that has a voice.
 *
 * @param names of the voices
 * @returns also the names of speakers without a voice, and of voices that no caption uses
 */
export function nameVoices(cues: readonly SpokenCue[], names: readonly string[]) {
  const byName = new Map(names.map((name) => [name.toLowerCase(), name]));
  const unknown = new Set<string>();
  const used = new Set<string>();
  const named = cues.map((cue) => {
    const [prefix = '', speaker = ''] = /^([^:：]{1,40})[:：]\s*/u.exec(cue.text) ?? [];
    const prefixed = byName.get(speaker.trim().toLowerCase());
    const stated = cue.voice === undefined ? undefined : byName.get(cue.voice.toLowerCase());
    if (cue.voice !== undefined && stated === undefined) unknown.add(cue.voice);
    const voice = stated ?? prefixed;
    if (voice !== undefined) used.add(voice);
    return { ...cue, voice, text: prefixed === undefined ? cue.text : cue.text.slice(prefix.length) };
  });
  return {
    cues: named.filter(({ text }) => text !== ''),
    unknown: [...unknown],
    unused: names.filter((name) => !used.has(name)),
  };
}

export const speakerWithoutVoice = (name: string): string =>
  `the speaker ${quote(name)} has no voice and speaks in the first one`;

/** @param cues in order of time */
export function unitsOf(cues: readonly SpokenCue[]): readonly DubUnit[] {
  const units: { voice: string | undefined; cues: SpokenCue[] }[] = [];
  for (const cue of cues) {
    const unit = units.at(-1);
    const last = unit?.cues.at(-1);
    const touches = last !== undefined && cue.start - last.end <= touching && !sentenceEnd.test(last.text);
    const length = unit?.cues.reduce((sum, { text }) => sum + text.length, cue.text.length) ?? 0;
    if (unit !== undefined && touches && unit.voice === cue.voice && length <= longestUnit) unit.cues.push(cue);
    else units.push({ voice: cue.voice, cues: [cue] });
  }
  return units;
}
