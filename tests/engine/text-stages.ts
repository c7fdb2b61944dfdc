/** All that is done with a text, stage by stage; each takes any text, and refuses it with a `SvcError` at most. */
import { htmlSegments } from '../../src/book/html-segments.ts';
import { formatCaptions } from '../../src/captions/captions.ts';
import { isTooShort } from '../../src/engine/bad-case.ts';
import { type LexiconEntry, lexiconSteps } from '../../src/engine/lexicon/lexicon.ts';
import { parseLexicon } from '../../src/engine/lexicon/parse-lexicon.ts';
import { findSpokenOf } from '../../src/engine/lexicon/written-words.ts';
import { findCut } from '../../src/engine/live/find-cut.ts';
import { blocksOf, markupSpans, withoutTags } from '../../src/engine/live/open-markup.ts';
import { textWindow } from '../../src/engine/live/read-ahead.ts';
import { sayFormula } from '../../src/engine/script/formula.ts';
import { withoutHidden } from '../../src/engine/script/hidden-text.ts';
import type { InputFormat } from '../../src/engine/script/input-formats.ts';
import { looksLikeMarkdown } from '../../src/engine/script/looks-like-markdown.ts';
import { scriptSteps } from '../../src/engine/script/parse-script.ts';
import { sayAs } from '../../src/engine/script/say-as.ts';
import { placeOfVoice, voiceNamesIn } from '../../src/engine/script/voice-names.ts';
import { cleanSteps } from '../../src/engine/text/clean.ts';
import { itemMarkers } from '../../src/engine/text/enumerations.ts';
import { finePieces } from '../../src/engine/text/fine-pieces.ts';
import { withoutMarkup } from '../../src/engine/text/markup.ts';
import { tagsNeedModel2 } from '../../src/engine/text/model-tags.ts';
import { normalizeText } from '../../src/engine/text/normalize.ts';
import { paragraphsOf } from '../../src/engine/text/paragraphs.ts';
import { sentencesOf } from '../../src/engine/text/sentences.ts';
import { splitSteps } from '../../src/engine/text/split.ts';
import { splitStyle } from '../../src/engine/text/style.ts';
import { verbalizeSteps } from '../../src/engine/text/verbalize/verbalize.ts';
import { wordErrorSteps } from '../../src/engine/text/word-errors.ts';
import { wordsOf } from '../../src/engine/text/words.ts';
import { speechWeight } from '../../src/engine/timing/syllables.ts';
import { timeSentences } from '../../src/engine/timing/time-sentences.ts';
import { SvcError } from '../../src/errors.ts';
import { atOnce } from '../../src/event-loop.ts';
import { oneLine, sanitizeLine } from '../../src/messages.ts';
import { redactPaths } from '../../src/server/http/redact-paths.ts';
import '../support/verbalize.ts';

/** Returns the steps of what a server does in turns with other work. */
type Stage = (text: string) => unknown;

const sampleRate = 1000;
/** Half a second of sound, half of silence, and so on. */
const samples = Float32Array.from({ length: 20 * sampleRate }, (_, index) => (index % sampleRate < 500 ? 0.5 : 0));

const lexicon: readonly LexiconEntry[] = [
  { written: 'a', spoken: '{HH AH0 L OW1}' },
  { written: '汉', spoken: '({han4})' },
  ...['a', '-', '. ', '1', '汉'].map((written) => ({ written: written.repeat(60).trim(), spoken: '{AH0}' })),
];
const pronounce = lexiconSteps(lexicon);
const findSpoken = findSpokenOf(lexicon);

const inFormat =
  (format: InputFormat, before = '', after = ''): Stage =>
  (text) =>
    scriptSteps(before + text + after, { format, voices: ['anna', 'Ben'], code: 'read' });

const timed = (words: readonly string[]) =>
  words.map((text, index) => ({ text, start: index * 0.3, end: index * 0.3 + 0.3 }));

const captions = (words: readonly string[]) =>
  formatCaptions([{ text: '', start: 0, end: 9, method: 'estimated', words: timed(words) }], 'vtt', {
    highlight: 'words',
  });

/** A live text is looked at in windows; no part that is checked is longer. */
const inWindows = (stage: Stage): Stage =>
  function* windows(text) {
    for (let start = 0; start < text.length; start += textWindow) yield stage(text.slice(start, start + textWindow));
  };

const cut =
  (cutter: number): Stage =>
  (text) =>
    finePieces[cutter]?.({ text, end: 'sentence' });

const stages = new Map<string, Stage>([
  ['paragraphs', (text) => [...paragraphsOf(text)]],
  ['sentences', (text) => [...sentencesOf(text)]],
  ['cleaning', cleanSteps],
  ['white space', normalizeText],
  ['style', splitStyle],
  ['clauses', cut(0)],
  ['phrases', cut(1)],
  ['words', cut(3)],
  ['splitting', (text) => splitSteps(text, { maxCharacters: 280 })],
  ...(['en', 'zh', 'de', 'ru', 'ja', 'ar'] as const).map(
    (language) => [`numbers in ${language}`, (text: string) => verbalizeSteps(text, language)] as const,
  ),
  ['numbers', (text) => verbalizeSteps(text)],
  ['numbers among Han characters', (text) => verbalizeSteps(`汉${text}`)],
  ['tags', withoutMarkup],
  ['tags of a model', tagsNeedModel2],
  ['auto', inFormat('auto')],
  ['whether it is Markdown', looksLikeMarkdown],
  ['what is hidden', withoutHidden],
  ['what is hidden behind a tag', (text) => withoutHidden(`<think>${text}`)],
  ['items of a list', itemMarkers],
  ['a formula', sayFormula],
  ['script', inFormat('script')],
  ['turns', (text) => inFormat('turns')(JSON.stringify([{ voice: 'anna', text, format: 'script' }]))],
  ['Markdown', inFormat('markdown')],
  ['SSML', inFormat('ssml', '<speak>')],
  ['a whole SSML document', inFormat('ssml', '<speak><p>', '</p></speak>')],
  ['a break', inFormat('ssml', '<speak><break time="', '"/></speak>')],
  ['a rate', inFormat('ssml', '<speak><prosody rate="', '">a</prosody></speak>')],
  ['say-as', (text) => ['cardinal', 'fraction', 'date', 'telephone'].map((kind) => sayAs(text, { interpretAs: kind }))],
  ['voices of a script', (text) => [voiceNamesIn(text, 'script'), voiceNamesIn(text, 'ssml')]],
  ['place of a voice', (text) => placeOfVoice(text, 'ssml', 'nobody')],
  ['lexicon', pronounce],
  ['words of a lexicon', findSpoken],
  ['lines of a lexicon', (text) => parseLexicon(`a = b\n${text}`, 'lexicon')],
  ['PLS', (text) => parseLexicon(`<lexicon><lexeme><grapheme>${text}`, 'lexicon')],
  ['HTML', (text) => htmlSegments(text)],
  ['word errors', inWindows((text) => atOnce(wordErrorSteps(text, 'a b c')))],
  ['a hostile transcript', (text) => wordErrorSteps('a b c', text)],
  ['length of speech', (text) => isTooShort(1, text)],
  ['syllables', speechWeight],
  ['word times', inWindows((text) => timeSentences(text, { samples, sampleRate, start: 0, rate: 1 }, lexicon))],
  ['captions', (text) => captions(wordsOf(text))],
  ['a caption of one word', (text) => captions([text])],
  ['first pieces of a live text', inWindows((text) => findCut({ ...live(text), markup: 'none', least: 'clause' }))],
  ['pieces of a live text', inWindows((text) => findCut({ ...live(text), markup: 'markdown', least: 'sentence' }))],
  ['blocks of a live text', blocksOf],
  ['mark-up of a live text', (text) => [markupSpans(text, 'markdown'), withoutTags(text)]],
  ['messages', (text) => redactPaths(oneLine(text))],
  ['names in messages', sanitizeLine],
]);

const live = (text: string) => ({ text, state: 'written', maxCharacters: 280 }) as const;

export const stageNames = [...stages.keys()];

/** Run by the command line alone, where nothing waits for them. */
export const ofCommands: readonly string[] = ['captions', 'a caption of one word', 'HTML'];

/** A stage in steps. @throws what is not a refusal */
export function* stageSteps(name: string, text: string): Generator<unknown, void, undefined> {
  try {
    const result = stages.get(name)?.(text);
    if (typeof result === 'object' && result !== null && 'next' in result) yield* result as Generator;
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'INVALID_REQUEST') throw error;
  }
}

/** All of it. @throws what is not a refusal */
export function runStage(name: string, text: string): void {
  for (const _ of stageSteps(name, text));
}
