/** Who speaks a line of captions, and what of it is a sound: as subtitlers write for those who don't hear. */
import type { TimedLine } from './timed-lines.ts';

/** Speech with the name of its speaker, if there is one. */
export interface Turn {
  readonly voice: string | undefined;
  readonly text: string;
}

export interface Turns {
  readonly turns: readonly Turn[];
  /** As written, such as `[door slams]`. */
  readonly sounds: readonly string[];
}

const bracketName =
  /^\s{0,99}[[(]\s{0,9}((?:SPEAKER|Speaker|speaker)[ _-]?\w{1,20}|[\p{Lu}][^\][()\n:]{0,39})\s{0,9}[\])]\s{0,9}[:：]\s{0,9}/u;
/** In capitals: others may be words, as in `Note: no.` */
const capitalName =
  /^\s{0,99}((?:\p{Lu}|\d)(?:[\p{Lu}\p{M}\d .'’#&-]){0,38}[\p{Lu}\p{M}\d.])\s{0,2}(?:\([^()\n]{1,40}\)|\[[^\][\n]{1,40}\])?[:：](?:\s{1,9}|$)/u;
/** Words in capitals before a colon that are said. */
const words =
  /^(?:NOTE|WARNING|CAUTION|DANGER|UPDATE|BREAKING|BREAKING NEWS|NEWS|ALERT|TIP|HINT|QUESTION|ANSWER|Q|A|P\.?S\.?|RULE|STEP|RULE \d+|STEP \d+|EXAMPLE|REMEMBER|IMPORTANT|FACT|RESULT|TODAY|TOMORROW|NOW|PART \d+|CHAPTER \d+|\d+)$/;
const beginsMusic = /^[\s-]{0,9}[♪♫♬🎵🎶]/u;
/** A line of dashes is no turn. */
const dash = /^[ \t]{0,9}(?:[-–—‐]{1,2}[ \t]{0,9}(?=[^\s\-–—‐])|>{2,3}[ \t]{0,9})/u;
/** `- Hi. - Hello.` */
const secondDash = /(?<=[.!?…]["”’]?) [-–—] (?=\p{Lu}|["“¿¡])/gu;
const brackets = /\[[^\][]{1,300}\]|［[^［］]{1,300}］|【[^【】]{1,300}】/gu;
const music = /[♪♫♬🎵🎶]/u;
/** Or signs that are spoken; dashes and dots are silent. */
const hasWords = /[\p{L}\p{N}\p{Sc}\p{So}%&@]/u;

/**
 * @param sounds whether they are spoken
 * @param lines of a caption
 */
export function turnsOf(lines: readonly TimedLine[], sounds: 'silent' | 'spoken'): Turns {
  const left: string[] = [];
  const leave = (sound: string): string => {
    if (/[\p{L}\p{N}]/u.test(sound)) left.push(sound.replace(/\s+/gu, ' ').trim());
    return ' ';
  };
  const turns: Turn[] = [];
  let voice: string | undefined;
  for (const given of soundLines(lines, sounds, leave)) {
    const isTurn = dash.test(given.text);
    for (const part of given.text.replace(dash, '').split(secondDash)) {
      const { name, text } = nameIn(part.replace(dash, ''));
      if (name !== undefined) voice = name;
      else if (given.voice !== undefined) voice = given.voice;
      else if (isTurn || given.isNew) voice = undefined;
      const spoken = sounds === 'spoken' ? text : withoutSounds(text, leave);
      if (hasWords.test(spoken)) turns.push({ voice: voice ?? given.voice, text: spoken });
    }
  }
  return { turns, sounds: left };
}

function nameIn(line: string): { readonly name: string | undefined; readonly text: string } {
  const [written, name] = bracketName.exec(line) ?? capitalName.exec(line) ?? [];
  if (written === undefined || name === undefined || words.test(name.trim())) return { name: undefined, text: line };
  return { name: name.trim(), text: line.slice(written.length) };
}

interface SoundLine extends TimedLine {
  readonly isNew: boolean;
}

/** Music, and parentheses around whole lines, which may be several. */
function* soundLines(
  lines: readonly TimedLine[],
  sounds: 'silent' | 'spoken',
  leave: (sound: string) => string,
): Generator<SoundLine> {
  if (sounds === 'spoken') {
    for (const [index, line] of lines.entries())
      yield { ...line, text: line.text.replace(/[♪♫♬🎵🎶]/gu, ' '), isNew: index === 0 };
    return;
  }
  const whole = lines
    .map(({ text }) => text.trim())
    .join(' ')
    .trim();
  if (
    /^\([^()]{1,1000}\)$/.test(whole) ||
    /^\[[^\][]{1,1000}\]$/.test(whole) ||
    (music.test(whole[0] ?? '') && music.test([...whole].at(-1) ?? ''))
  ) {
    leave(whole);
    return;
  }
  let isMusic = false;
  for (const [index, line] of lines.entries()) {
    if (!music.test(line.text)) {
      if (isMusic) leave(line.text);
      else yield { ...line, isNew: index === 0 };
      continue;
    }
    const parts = line.text.split(/[♪♫♬🎵🎶]+/u);
    let rest = '';
    for (const [place, part] of parts.entries()) {
      if (isMusic) leave(part);
      else rest += `${part} `;
      if (place < parts.length - 1) isMusic = !isMusic;
    }
    // A line that begins with a note ends its music, unless another line does.
    const closes = lines.slice(index + 1).some(({ text }) => music.test(text) && !beginsMusic.test(text));
    if (isMusic && beginsMusic.test(line.text) && !closes) isMusic = false;
    if (rest.trim() !== '') yield { ...line, text: rest, isNew: index === 0 };
  }
}

const asideAtEdge =
  /^\s{0,99}\([^()]{1,200}\)\s{0,9}(?=[\p{Lu}\p{Lo}\d"“¿¡]|$)|(?<=[.!?…"”])\s{1,9}\([^()]{1,200}\)\s{0,99}$/gu;
const starred = /^\s{0,99}\*[^*]{1,200}\*\s{0,99}$/u;

function withoutSounds(text: string, leave: (sound: string) => string): string {
  if (starred.test(text)) return leave(text);
  return text.replace(brackets, leave).replace(asideAtEdge, leave);
}
