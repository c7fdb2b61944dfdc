/** Who speaks a line of captions, and what of it is a sound: as subtitlers write for those who don't hear. */
import type { Pace } from '../event-loop.ts';
import type { Spoken, TimedLine } from './timed-lines.ts';

/** Speech with the name of its speaker, if there is one. */
export interface Turn {
  readonly voice: string | undefined;
  readonly text: string;
}

const bracketName =
  /^\s{0,99}[[(]\s{0,9}((?:SPEAKER|Speaker|speaker)[ _-]?\w{1,20}|[\p{Lu}][^\][()\n:]{0,39})\s{0,9}[\])]\s{0,9}[:：]\s{0,9}/u;
/** `[SPEAKER_01]` and `(speaker 0)`, as recognizers write them, also without a colon. */
const numberedName = /^\s{0,99}[[(]\s{0,9}(speaker[ _-]?(?:\d{1,4}|[A-Z]|unknown))\s{0,9}[\])]\s{0,9}(?=[^\s:：])/iu;
/** In capitals: others may be words, as in `Note: no.` */
const capitalName =
  /^\s{0,99}((?:(?:Mr|Mrs|Ms|Dr|St)\.? )?(?:\p{Lu}|\d)(?:[\p{Lu}\p{M}\d .'’#&-]){0,38}[\p{Lu}\p{M}\d.])\s{0,2}(?:\([^()\n]{1,40}\)|\[[^\][\n]{1,40}\])?[:：](?:\s{1,9}|$)/u;
/** Words in capitals before a colon that are said. */
const words =
  /^(?:NOTE|WARNING|CAUTION|DANGER|UPDATE|BREAKING|BREAKING NEWS|NEWS|ALERT|TIP|HINT|QUESTION|ANSWER|Q|A|P\.?S\.?|RULE|STEP|RULE \d+|STEP \d+|EXAMPLE|REMEMBER|LESSON|POINT|FIRST|SECOND|THIRD|FINALLY|ALSO|PLEASE|DISCLAIMER|SOURCE|TOPIC|QUOTE|SUMMARY|TITLE|TIME|IMPORTANT|FACT|RESULT|TODAY|TOMORROW|NOW|PART \d+|CHAPTER \d+|\d+)$/;
const beginsMusic = /^[\s-]{0,9}[♪♫♬🎵🎶]/u;
/** A line of dashes is no turn. */
const dash = /^[ \t]{0,9}(?:[-–—‐]{1,2}[ \t]{0,9}(?=[^\s\-–—‐])|>{2,3}[ \t]{0,9})/u;
/** `- Hi. - Hello.` */
const secondDash = /(?<=[.!?…]["”’]?) [-–—] (?=\p{Lu}|["“¿¡])/gu;
/** `MAN 1: Go. MAN 2: No.` */
const secondName = /(?<!\b(?:Mr|Mrs|Ms|Dr|St)\.)(?<=[.!?…]["”’]?) (?=\p{Lu}[\p{Lu}\d .'’#&-]{0,38}[\p{Lu}\d]: )/gu;
const brackets = /\[[^\][]{1,300}\]|\{[^{}\\]{1,300}\}|［[^［］]{1,300}］|【[^【】]{1,300}】/gu;
const music = /[♪♫♬🎵🎶]/u;
/** Or signs that are spoken; dashes and dots are silent. */
const hasWords = /[\p{L}\p{N}\p{Sc}\p{So}%&@]/u;

/** `Anna:`, at most three words that begin with capitals, or of a script without them. */
const possibleName =
  /^\s{0,99}(?:[-–—‐]{1,2}\s{0,9}|>{2,3}\s{0,9})?((?:\p{Lu}[\p{L}\p{M}\d.’'-]{0,29}|\p{Lo}{1,9})(?: (?:\p{Lu}[\p{L}\p{M}.’'-]{0,29}|\d{1,3})){0,2})\s?(?:[([][^()[\]\n]{1,40}[)\]])?(?:[:：](?=\s|$)|：)/u;
const numberedSpeaker = /^Speaker (?:[A-Z]|\d{1,3})$/i;
/** Share of captions with a name in front, if others than these are words. */
const [mostlyNamed, partlyNamed] = [0.5, 0.1];

/**
 * The names in front of captions that are not in capitals: those of most captions, or those that return in many.
 *
 * @param texts the captions, line by line
 */
export async function speakersIn(texts: Iterable<readonly TimedLine[]>, pace: Pace): Promise<ReadonlySet<string>> {
  const counts = new Map<string, number>();
  let [captions, named] = [0, 0];
  for (const lines of texts) {
    await pace();
    captions += 1;
    let isNamed = false;
    for (const { text } of lines) {
      const [, name] = possibleName.exec(text) ?? [];
      if (name === undefined || words.test(name.toUpperCase())) continue;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      isNamed = true;
    }
    if (isNamed) named += 1;
  }
  const share = named / captions;
  const fewest = share >= mostlyNamed && named > 1 ? 1 : 2;
  return new Set([...counts].filter(([, count]) => count >= fewest && share >= partlyNamed).map(([name]) => name));
}

/**
 * @param sounds whether they are spoken
 * @param lines of a caption
 * @param speakers names that are not in capitals
 * @returns also the sounds as written, such as `[door slams]`
 */
export function turnsOf(
  lines: readonly TimedLine[],
  sounds: Spoken,
  speakers: ReadonlySet<string> = new Set(),
): { readonly turns: readonly Turn[]; readonly sounds: readonly string[] } {
  const left: string[] = [];
  const leave = (sound: string): string => {
    if (/[\p{L}\p{N}]/u.test(sound)) left.push(sound.replace(/\s+/gu, ' ').trim());
    return ' ';
  };
  const turns: Turn[] = [];
  let voice: string | undefined;
  for (const given of soundLines(lines, sounds, leave)) {
    const isTurn = dash.test(given.text);
    const parts = given.text.replace(dash, '').split(secondDash);
    for (const part of parts.flatMap((own) => own.split(secondName))) {
      const { name, text } = nameIn(part.replace(dash, ''), (own) => isTurn || speakers.has(own));
      if (name !== undefined) voice = name;
      else if (given.voice !== undefined) voice = given.voice;
      else if (isTurn || given.isNew) voice = undefined;
      const spoken = sounds === 'spoken' ? text : withoutSounds(text, leave).replace(dash, '');
      if (hasWords.test(spoken)) turns.push({ voice: voice ?? given.voice, text: spoken });
    }
  }
  return { turns, sounds: left };
}

/** @param isName whether a possible name is one, and no word such as `Note` */
function nameIn(
  line: string,
  isName: (possible: string) => boolean,
): { readonly name: string | undefined; readonly text: string } {
  const [possible, own] = possibleName.exec(line) ?? [];
  if (possible !== undefined && own !== undefined && !words.test(own.toUpperCase()))
    if (numberedSpeaker.test(own) || isName(own)) return { name: own, text: line.slice(possible.length) };
  const [written, name] = numberedName.exec(line) ?? bracketName.exec(line) ?? capitalName.exec(line) ?? [];
  if (written === undefined || name === undefined || words.test(name.trim())) return { name: undefined, text: line };
  return { name: name.trim(), text: line.slice(written.length) };
}

/** The BBC writes `# la la la #` for songs. */
const wholeSound = /^(?:\({1,2}[^()]{1,1000}\){1,2}|（[^（）]{1,1000}）|\[[^\][]{1,1000}\]|#\s[^#]{1,1000}\s#)$/u;

interface SoundLine extends TimedLine {
  readonly isNew: boolean;
}

/** Music, and parentheses around whole lines, which may be several. */
function* soundLines(
  lines: readonly TimedLine[],
  sounds: Spoken,
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
  if (wholeSound.test(whole) || (music.test(whole[0] ?? '') && music.test([...whole].at(-1) ?? ''))) {
    leave(whole);
    return;
  }
  let isMusic = false;
  const lastClosing = lines.findLastIndex(({ text }) => music.test(text) && !beginsMusic.test(text));
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
    if (isMusic && beginsMusic.test(line.text) && index >= lastClosing) isMusic = false;
    if (rest.trim() !== '') yield { ...line, text: rest, isNew: index === 0 };
  }
}

const aside = String.raw`(?:\({1,2}[^()]{1,200}\){1,2}|（[^（）]{1,200}）|\*[^*\s](?:[^*]{0,198}[^*\s])?\*)`;
const asideAtEdge = new RegExp(
  String.raw`^\s{0,99}${aside}\s{0,9}(?=[\p{Lu}\p{Lo}\d"“¿¡]|$)|(?<=[.!?…"”])\s{1,9}${aside}\s{0,99}$|(?<=[。！？…])（[^（）]{1,200}）\s{0,99}$`,
  'gu',
);

const withoutSounds = (text: string, leave: (sound: string) => string): string =>
  text.replace(brackets, leave).replace(asideAtEdge, leave);
