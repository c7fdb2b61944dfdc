/** Cues as Advanced SubStation Alpha (.ass), the subtitles of video editors, with karaoke marks. */
import { type Cue, type CueLine, type CueWord, lineText } from './cues.ts';

/** Sizes are relative to this picture; players scale them. */
const header = `[Script Info]
ScriptType: v4.00+
WrapStyle: 2
ScaledBorderAndShadow: yes
PlayResX: 1920
PlayResY: 1080

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
`;
/** White; with karaoke, white becomes yellow as a word is spoken. */
const style = (spoken: string): string =>
  `Style: Default,Arial,64,${spoken},&H00FFFFFF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,3,1,2,80,80,60,1\n`;
const events = `
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
`;

/** @param cues in order of time */
export function assFile(cues: readonly Cue[], highlight: 'words' | 'none'): string {
  const lines = cues.map((cue) => `${dialogue(cue, highlight)}\n`);
  return header + style(highlight === 'words' ? '&H0000FFFF' : '&H00FFFFFF') + events + lines.join('');
}

const centiseconds = (seconds: number): number => Math.round(seconds * 100);

/** `0:00:01.50`. */
function clock(seconds: number): string {
  const total = centiseconds(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [minutes, rest] = [Math.floor(total / 6_000), total % 6_000];
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(Math.floor(rest / 100))}.${two(rest % 100)}`;
}

/** There are no escapes: braces are marks, and a backslash may begin one. A line has one line. */
const plain = (text: string): string =>
  text.replaceAll('{', '(').replaceAll('}', ')').replaceAll('\\', '＼').replace(/\s+/gu, ' ');

function dialogue({ start, end, lines }: Cue, highlight: 'words' | 'none'): string {
  const voices = [...new Set(lines.flatMap(({ voice }) => voice ?? []))];
  const name = voices.length === 1 ? plain(voices[0] as string).replaceAll(',', ' ') : '';
  const say = (word: CueWord): string => plain(word.text);
  const text =
    highlight === 'words' ? karaoke(lines, start, end) : lines.map((line) => lineText(line, say)).join('\\N');
  return `Dialogue: 0,${clock(start)},${clock(end)},Default,${name},0,0,0,,${text}`;
}

/** Each word with the time until the next one, in hundredths of a second; a cue begins with its first word. */
function karaoke(lines: readonly CueLine[], start: number, end: number): string {
  const words = lines.flatMap((line) => line.words);
  const begins = words.map((word) => centiseconds(Math.min(end, Math.max(start, word.start))));
  let at = 0;
  const marked = lines.map((line) =>
    lineText(line, ({ text }) => {
      const until = begins[at + 1] ?? centiseconds(end);
      const mark = `{\\k${Math.max(0, until - (begins[at] as number))}}`;
      at += 1;
      return mark + plain(text);
    }),
  );
  return marked.join('\\N');
}
