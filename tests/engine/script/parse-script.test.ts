/** Texts in each format and the passages that they become. */
import { describe, expect, it } from '@jest/globals';
import type { InputFormat } from '../../../src/engine/script/input-formats.ts';
import { detectFormat, parseScript } from '../../../src/engine/script/parse-script.ts';
import type { Passage, Script } from '../../../src/engine/script/passage.ts';
import { voiceNamesIn } from '../../../src/engine/script/voice-names.ts';
import { SvcError } from '../../../src/errors.ts';
// Loads all languages, which say-as needs at once.
import '../../support/verbalize.ts';

const voices = ['anna', 'Ben', 'Dr. Ø'];

const parsed = (format: InputFormat, text: string, code: 'skip' | 'read' = 'skip'): Script =>
  parseScript(text, { format, voices, code });

/** `anna: text |0.5| text`: passages in short, pauses between bars, manner in front. */
const short = ({ voice, rate, language, text, pauseSeconds, marks }: Passage): string =>
  [
    voice === undefined ? '' : `${voice}: `,
    rate === undefined ? '' : `×${rate} `,
    language === undefined ? '' : `<${language}> `,
    marks.reduceRight((done, { name, offset }) => `${done.slice(0, offset)}^${name}^${done.slice(offset)}`, text),
    pauseSeconds === undefined ? '' : `|${pauseSeconds}|`,
  ].join('');

const said = (format: InputFormat, text: string, code?: 'skip' | 'read'): string =>
  parsed(format, text, code).passages.map(short).join(' ');

const speak = (content: string): string => `<speak>${content}</speak>`;

describe('plain text', () => {
  it.each([
    ['stays as it is', 'Hello  there.\n\nAgain.', 'Hello  there.\n\nAgain.'],
    ['keeps tags', 'Hello [pause:1s] <break/> # there', 'Hello [pause:1s] <break/> # there'],
    ['keeps white space around it', '  a \n', '  a \n'],
    ['may be blank', ' \n ', ' \n '],
  ])('%s', (_, text, expected) => expect(said('plain', text)).toBe(expected));
});

describe('a passage', () => {
  it.each([
    ['nothing', '', []],
    ['no pause', '<break time="0s"/>', []],
    ['no pause before a text', '<break time="0s"/>One.', ['One.']],
    ['a pause', '<break time="1s"/>', ['']],
  ])('is not made of %s', (_, content, texts) => {
    expect(parsed('ssml', speak(content)).passages.map(({ text }) => text)).toEqual(texts);
  });
});

describe('the format of a text', () => {
  it.each([
    ['<speak>Hi</speak>', 'Hi'],
    ['  \n<speak version="1.1">Hi</speak>', 'Hi'],
    ['\uFEFF<speak>Hi</speak>', 'Hi'],
    ['<?xml version="1.0" encoding="UTF-8"?>\n<speak>Hi</speak>', 'Hi'],
    ['<!-- a comment --> <speak>Hi</speak>', 'Hi'],
    ['<ssml:speak xmlns:ssml="http://www.w3.org/2001/10/synthesis">Hi</ssml:speak>', 'Hi'],
    ['<!DOCTYPE speak PUBLIC "-//W3C//DTD SYNTHESIS 1.0//EN" "http://www.w3.org/x.dtd">\n<speak>Hi</speak>', 'Hi'],
    ['<speaker>Hi</speaker>', '<speaker>Hi</speaker>'],
    ['He said <speak>', 'He said <speak>'],
    ['# Title', '# Title'],
  ])('of %j is found out', (text, expected) => expect(said('auto', text)).toBe(expected));

  it.each([
    ['# Title', 'Title'],
    ['So **very** good.', 'So very good.'],
    ['So * very good.', 'So * very good.'],
    ['<think>Hm.</think>\n\n- one\n- two', 'one|0.5| two'],
    ['## A\n\n    Indented prose.', 'A|1| Indented prose.'],
  ])('of %j is found out without voices', (text, expected) => {
    const { passages } = parseScript(text, { format: 'auto', voices: [], code: 'skip' });
    expect(passages.map(short).join(' ')).toBe(expected);
  });

  it('is a script for a request with voices, else plain text', () => {
    const text = 'anna: Hello.\nBen: Hi [pause:1s] there.';
    expect(said('auto', text)).toBe(said('script', text));
    expect(parseScript(text, { format: 'auto', voices: [], code: 'skip' }).passages).toEqual([{ text, marks: [] }]);
  });
});

describe('Markdown', () => {
  it.each([
    ['a heading', '# Title\nText.', 'Title|1| Text.'],
    ['a heading below its line', 'Title\n=====\n\nText.', 'Title|1| Text.'],
    ['a second level', '## 1.2 Scope ##\nText.', '1.2 Scope|1| Text.'],
    ['a heading after a text', 'Text.\n# Title\nMore.', 'Text.|0.9| Title|1| More.'],
    ['paragraphs', 'One.\n\nTwo.', 'One.|0.9| Two.'],
    ['a line that is wrapped', 'One\ntwo.', 'One two.'],
    ['two spaces at the end of a line', 'One  \ntwo.', 'One|0.4| two.'],
    ['a backslash at the end of a line', 'One\\\ntwo.', 'One|0.4| two.'],
    ['<br>', 'One<br>two<br/>three.', 'One|0.4| two|0.4| three.'],
    ['emphasis', 'So *very* __strong__ ***both***.', 'So very strong both.'],
    ['emphasis in a word', 'un*believ*able', 'unbelievable'],
    ['underscores in a name', 'snake_case_name', 'snake_case_name'],
    ['strikethrough', 'Was ~~old~~ new.', 'Was old new.'],
    ['a link', 'See [the page](https://example.com "title").', 'See the page.'],
    ['a link by reference', 'See [the page][1].\n\n[1]: https://example.com', 'See the page.'],
    ['an address in brackets', 'Go to <https://example.com/a>.', 'Go to example.com.'],
    ['a bare address', 'See https://www.example.com/a/b?c=d, then www.x.org.', 'See example.com, then x.org.'],
    ['a link with its address', '[https://x.org/a](https://x.org/a)', 'x.org'],
    ['an image', 'Look: ![a black cat](cat.png)', 'Look: a black cat'],
    ['an image without a description', 'Look. ![](cat.png)', 'Look.'],
    ['an image that nobody described', 'Look. ![Alternative text not available](cat.png)', 'Look.'],
    ['code in a sentence', 'Run `npm test` now.', 'Run npm test now.'],
    ['a fence', 'Before.\n\n```js\nlet a;\n```\n\nAfter.', 'Before.|0.9| After.'],
    ['indented code', 'Before.\n\n    let a;\n\nAfter.', 'Before.|0.9| After.'],
    ['a fence that is open', 'Before.\n\n```\nlet a;', 'Before.'],
    ['a list', '- one\n- two\n\nAfter.', 'one|0.5| two|0.9| After.'],
    ['a list with stars', '* one\n* two', 'one|0.5| two'],
    ['a list of paragraphs', '- one\n\n- two', 'one|0.9| two'],
    ['a list in a list', '- one\n  - inner\n- two', 'one|0.5| inner|0.5| two'],
    ['a numbered list', '1. one\n2. two', '1. one|0.5| 2. two'],
    ['a numbered list from 4', '4) four\n5) five', '4. four|0.5| 5. five'],
    ['a numbered list of ones', '1. one\n1. two', '1. one|0.5| 2. two'],
    ['tasks', '- [ ] open\n- [x] done', 'open|0.5| done'],
    ['a quotation', '> Quoted\n> text.\n\nAfter.', 'Quoted text.|0.9| After.'],
    ['a quotation in a quotation', '> a\n>> b', 'a|0.9| b'],
    ['a table', '| a | b |\n|---|---|\n| c | d |\n| e | |\n\nAfter.', 'a, b|0.5| c, d|0.5| e,|0.9| After.'],
    ['a rule', 'One.\n\n---\n\nTwo.', 'One.|1.2| Two.'],
    ['stars as a rule', 'One.\n\n* * *\n\nTwo.', 'One.|1.2| Two.'],
    ['HTML in a line', 'A <b>bold</b> word.', 'A bold word.'],
    ['a block of HTML', '<div class="x">\nshown\n</div>\n\nText.', 'shown|0.9| Text.'],
    ['a heading of HTML', '<h1 align="center">Title</h1>\n<p align="center">Text.</p>', 'Title|1| Text.'],
    ['details of HTML', '<details><summary>More</summary>\n\nIn **it**.\n\n</details>', 'More|0.9| In it.'],
    ['blocks of HTML in a line', 'One.<p>Two.</p>Three', 'One.|0.9| Two.|0.9| Three'],
    ['a rule of HTML', 'Hi<hr>there', 'Hi|1.2| there'],
    ['items of HTML', 'yes</li><li>no', 'yes|0.5| no'],
    ['a cell without its row', 'red</td><td>blue', 'red, blue'],
    ['raised digits', '10<sup>4</sup> and x<sup>n</sup>', '10⁴ and x^n'],
    ['the parameter of a type', 'std::optional<T> and a <B>bold</B> word', 'std::optional<T> and a bold word'],
    ['a table of HTML', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a, b|0.5| c'],
    ['an unknown tag', 'one<foo>two', 'one two'],
    ['a script of HTML', '<script>\nlet a;\n\nlet b;\n</script>\n\nText.', 'Text.'],
    ['tags inside a word', 'un<b>believ</b>able x<sup>2</sup>', 'unbelievable x²'],
    ['a note', 'A fact.[^1] More.^[inside]\n\n[^1]: One.\n    Two.\n\nAfter.', 'A fact. More.|0.9| After.'],
    ['an alert', '> [!NOTE]\n> Useful.', 'Useful.'],
    ['an alert with a title', '> [!tip]- My title\n> Useful.', 'My title|0.4| Useful.'],
    ['marked words', 'A ==marked **word**==.', 'A marked word.'],
    ['lowered and raised letters', 'H~2~O, x^2^ and ~~old~~', 'H2O, x^2 and old'],
    ['links of wikis', '[[Page]] [[Page#Part|words]] [[#Part]] ![[file.png]]', 'Page words Part'],
    ['names of paragraphs of wikis', 'Text ^one-1\n\nx ^2', 'Text|0.9| x ^2'],
    ['comments of wikis', 'a %%hidden%% b, 5%% of c%%', 'a  b, 5%% of c%%'],
    ['attributes', '# Title {#id}\n\nText{.cls}', 'Title|1| Text'],
    ['a container', '::: warning\nCareful.\n:::\nDone.', 'Careful.|0.9| Done.'],
    ['front matter in TOML', '+++\ntitle = "x"\n+++\nText.', 'Text.'],
    ['a simple formula', 'Energy is $E = mc^2$.', 'Energy is E equals m c squared.'],
    ['a formula in brackets', 'Half is \\(\\frac{1}{2}\\).', 'Half is 1 over 2.'],
    ['a formula that is not simple', 'So $$\\int_0^1 x\\,dx$$ it is.', 'So  it is.'],
    ['formulas in Chinese', '能量$E=mc^2$是$x$。', '能量是x。'],
    ['prices', 'It cost $5 and $10, not $5/$6.', 'It cost $5 and $10, not $5/$6.'],
    ['reasoning', '<think>Hm.</think># Title', 'Title'],
    ['a comment', 'One.\n\n<!-- hidden -->\n\nTwo.', 'One.|0.9| Two.'],
    ['entities', 'A &amp; B &copy; &#169;', 'A & B © ©'],
    ['an escape', '\\*not emphasis\\*', '*not emphasis*'],
    ['front matter', '---\ntitle: x\n---\n\nText.', 'Text.'],
    ['tags of the model', 'Well [laughing] yes [sigh].', 'Well [laughing] yes [sigh].'],
    ['phonemes of the model', 'Say {ni3} and {HH AH0 L OW1}.', 'Say {ni3} and {HH AH0 L OW1}.'],
    ['Chinese', '# 标题\n\n你好**世界**。', '标题|1| 你好世界。'],
    ['windows line ends', '# Title\r\n\r\nText.\r\n', 'Title|1| Text.'],
    ['nothing', '', ''],
    ['a rule alone', '---', ''],
  ])('reads %s', (_, text, expected) => expect(said('markdown', text)).toBe(expected));

  it('warns of formulas that have no words', () => {
    const { warnings } = parseScript('So $\\sum_{i=1}^n i$, $x^2$ and $\\prod_i a_i$.', {
      format: 'markdown',
      voices: [],
      code: 'skip',
    });
    expect(warnings).toEqual(['formulas that have no words are left out (2, first "\\\\sum_{i=1}^n i")']);
  });

  it('reads blocks of code when asked to', () => {
    expect(said('markdown', 'Before.\n\n```js\nlet a;\n```\n\nAfter.', 'read')).toBe('Before.|0.9| let a;|0.9| After.');
  });
});

describe('SSML', () => {
  it.each([
    ['text', 'Hello  there.', 'Hello there.'],
    ['line breaks as spaces', 'Hello\n  there.', 'Hello there.'],
    ['entities of XML', 'A &amp; B &lt; C &#233; &#x4f60;', 'A & B < C é 你'],
    ['character data', 'A <![CDATA[<b> & c]]>', 'A <b> & c'],
    ['comments', 'A<!-- x --> b', 'A b'],
    ['p', '<p>One.</p><p>Two.</p>', 'One.|0.9| Two.'],
    ['s', '<s>One</s><s>Two</s>', 'One|0.4| Two'],
    ['s in p', '<p><s>One</s><s>Two</s></p><p>Three</p>', 'One|0.4| Two|0.9| Three'],
    ['break without attributes', 'a<break/>b', 'a|0.75| b'],
    ['break time in s', 'a<break time="1.5s"/>b', 'a|1.5| b'],
    ['break time in ms', 'a<break time="300ms"/>b', 'a|0.3| b'],
    ['break time with a plus', 'a<break time="+2s"/>b', 'a|2| b'],
    ['break none', 'a<break strength="none"/>b', 'a|0| b'],
    ['break x-weak', 'a<break strength="x-weak"/>b', 'a|0.25| b'],
    ['break weak', 'a<break strength="weak"/>b', 'a|0.5| b'],
    ['break medium', 'a<break strength="medium"/>b', 'a|0.75| b'],
    ['break strong', 'a<break strength="strong"/>b', 'a|1| b'],
    ['break x-strong', 'a<break strength="x-strong"/>b', 'a|1.25| b'],
    ['two breaks', 'a<break time="1s"/><break time="2s"/>b', 'a|3| b'],
    ['a break between paragraphs', '<p>a</p><break time="3s"/><p>b</p>', 'a|3| b'],
    ['a break first', '<break time="1s"/>a', '|1| a'],
    ['a break last', 'a<break time="1s"/>', 'a|1|'],
    ['sub', '<sub alias="World Wide Web">WWW</sub> here', 'World Wide Web here'],
    ['sub without alias', '<sub>WWW</sub>', 'WWW'],
    ['characters', '<say-as interpret-as="characters">SVC1</say-as>', 'S V C one'],
    ['spell-out', '<say-as interpret-as="spell-out">a-b</say-as>', 'A - B'],
    ['verbatim', '<say-as interpret-as="verbatim">ok</say-as>', 'O K'],
    ['digits', '<say-as interpret-as="digits">1 20</say-as>', 'one two zero'],
    ['cardinal', '<say-as interpret-as="cardinal">1234</say-as>', 'one thousand two hundred thirty-four'],
    ['number', '<say-as interpret-as="number">-2.5</say-as>', 'minus two point five'],
    ['ordinal', '<say-as interpret-as="ordinal">3</say-as>', 'third'],
    ['ordinal with its ending', '<say-as interpret-as="ordinal">21st</say-as>', 'twenty-first'],
    ['fraction', '<say-as interpret-as="fraction">3/4</say-as>', 'three quarters'],
    ['half', '<say-as interpret-as="fraction">1 1/2</say-as>', 'one and one half'],
    ['date mdy', '<say-as interpret-as="date" format="mdy">9/10/1960</say-as>', 'September tenth, nineteen sixty'],
    ['date dmy', '<say-as interpret-as="date" format="dmy">10.9.1960</say-as>', 'September tenth, nineteen sixty'],
    [
      'date ymd',
      '<say-as interpret-as="date" format="yyyymmdd">1960-09-10</say-as>',
      'September tenth, nineteen sixty',
    ],
    [
      'date without format',
      '<say-as interpret-as="date">2026-11-22</say-as>',
      'November twenty-second, twenty twenty-six',
    ],
    ['date md', '<say-as interpret-as="date" format="md">2/3</say-as>', 'February third'],
    ['date my', '<say-as interpret-as="date" format="my">2/2020</say-as>', 'February twenty twenty'],
    ['date y', '<say-as interpret-as="date" format="y">1905</say-as>', 'nineteen oh five'],
    ['time', '<say-as interpret-as="time" format="hms12">2:30pm</say-as>', 'two thirty PM'],
    [
      'telephone',
      '<say-as interpret-as="telephone">(888) 555-1212</say-as>',
      'eight eight eight, five five five, one two one two',
    ],
    [
      'telephone with a country',
      '<say-as interpret-as="telephone">+49 30 12</say-as>',
      'plus four nine, three zero, one two',
    ],
    ['currency', '<say-as interpret-as="currency">$3.50</say-as>', 'three dollars and fifty cents'],
    ['Chinese cardinal', '<s xml:lang="zh-CN"><say-as interpret-as="cardinal">12</say-as></s>', '<zh-CN> 十二'],
    ['Chinese ordinal', '<s xml:lang="zh"><say-as interpret-as="ordinal">3</say-as></s>', '<zh> 第三'],
    ['Chinese digits', '<s xml:lang="zh"><say-as interpret-as="digits">301</say-as></s>', '<zh> 三零一'],
    ['phoneme in ARPAbet', 'Say <phoneme alphabet="x-arpabet" ph="HH AH0 L OW1">hello</phoneme>', 'Say {HH AH0 L OW1}'],
    ['phoneme in pinyin', '<phoneme alphabet="x-pinyin" ph="ni3">你</phoneme>好', '{ni3}好'],
    ['prosody rate by name', '<prosody rate="slow">a</prosody> b', '×0.75 a b'],
    ['prosody x-slow', '<prosody rate="x-slow">a</prosody>', '×0.5 a'],
    ['prosody fast', '<prosody rate="fast">a</prosody>', '×1.25 a'],
    ['prosody x-fast', '<prosody rate="x-fast">a</prosody>', '×1.5 a'],
    ['prosody medium', '<prosody rate="medium">a</prosody>', 'a'],
    ['prosody rate by number', '<prosody rate="1.2">a</prosody>', '×1.2 a'],
    ['prosody rate by percentage', '<prosody rate="80%">a</prosody>', '×0.8 a'],
    ['prosody rate by a relative percentage', '<prosody rate="+50%">a</prosody>', '×1.5 a'],
    ['prosody rate less by a percentage', '<prosody rate="-50%">a</prosody>', '×0.5 a'],
    ['prosody in prosody', '<prosody rate="2">a <prosody rate="50%">b</prosody></prosody>', '×2 a b'],
    ['prosody beyond the range', '<prosody rate="10">a</prosody>', '×4 a'],
    ['voice', '<voice name="anna">a</voice> b', 'anna: a b'],
    ['voice in another case', '<voice name="BEN">a</voice>', 'Ben: a'],
    ['voice in voice', '<voice name="anna">a <voice name="Ben">b</voice> c</voice>', 'anna: a Ben: b anna: c'],
    ['lang', '<lang xml:lang="fr-FR">Bonjour</lang> you', '<fr-FR> Bonjour you'],
    ['language of the root', 'a', 'a'],
    ['mark', 'a <mark name="here"/>b', 'a ^here^b'],
    ['a mark first', '<mark name="start"/>a', '^start^a'],
    ['emphasis', 'a <emphasis level="strong">b</emphasis> c', 'a b c'],
    ['metadata', '<metadata><x>y</x></metadata>a', 'a'],
    ['desc', '<audio src="x"><desc>a dog</desc>woof</audio>', 'woof'],
    ['audio', 'a<audio src="x"/>b', 'a|1| b'],
    ['an unknown element', '<mstts:express-as style="sad">a</mstts:express-as>', 'a'],
    [
      'an element with the prefix of SSML',
      '<ssml:s>a</ssml:s><ssml:voice name="anna">b</ssml:voice>',
      'a|0.4| anna: b',
    ],
    [
      'time in minutes and seconds',
      `It took <say-as interpret-as="time">1'21"</say-as>.`,
      'It took one minute and twenty-one seconds.',
    ],
    ['time in hours', '<say-as interpret-as="time">2h30</say-as>', 'two hours and thirty minutes'],
    [
      'duration',
      '<say-as interpret-as="duration" format="hms">01:18:30</say-as>',
      'one hour, eighteen minutes and thirty seconds',
    ],
    ['time of day', '<say-as interpret-as="time">9:05</say-as>', 'nine oh five'],
    ['date without its year', '<say-as interpret-as="date">????0922</say-as>', 'September twenty-second'],
    [
      'date of digits alone',
      '<say-as interpret-as="date">20260922</say-as>',
      'September twenty-second, twenty twenty-six',
    ],
    ['bookmark', 'a <bookmark mark="here"/>b', 'a ^here^b'],
    [
      'silence in front and behind',
      '<mstts:silence type="Leading" value="200ms"/>a<mstts:silence type="Tailing-exact" value="1s"/>b',
      '|0.2| ab|1|',
    ],
    [
      'sounds one after the other',
      '<seq><media><speak>Hello</speak></media><media>Bye</media></seq>',
      'Hello|0.4| Bye',
    ],
    [
      'turns of a dialogue',
      '<mstts:dialog><mstts:turn speaker="anna">a</mstts:turn>b</mstts:dialog>',
      'anna: a|0.4| b',
    ],
    ['punctuation behind a break', 'Wait <break time="3s"/>. I go<break/>, now.', 'Wait.|3| I go,|0.75| now.'],
    ['punctuation before and behind a break', 'Wait. <break/>. ... Go.', 'Wait.|0.75| ... Go.'],
    [
      'marks and a closing quote behind a break',
      '"Wait <break/>." he said <break/>, ok',
      '"Wait."|0.75| he said,|0.75| ok',
    ],
    ['Chinese marks behind a break', '你好<break/>。再见', '你好。|0.75| 再见'],
    ['marks behind a voice', '<voice name="anna">a</voice>. b', 'anna: a. b'],
    ['marks behind a paragraph', '<p>One</p>. <p>.</p><p>... Two</p>', 'One.|0.9| ... Two'],
    ['an element inside say-as', '<say-as interpret-as="cardinal"><emphasis>12</emphasis></say-as>', 'twelve'],
    ['nothing', '', ''],
  ])('reads %s', (_, content, expected) => expect(said('ssml', speak(content))).toBe(expected));

  it.each([
    ['an unknown element', '<foo>a</foo>', 'unknown SSML element "foo"; its text is read (line 1)'],
    [
      'audio',
      '<audio src="x"/>',
      'the element <audio> is not supported; it is replaced by silence or by its text (line 1)',
    ],
    [
      'pitch',
      '\n<prosody pitch="high">a</prosody>',
      'the attribute pitch of <prosody> is ignored; rate is supported (line 2)',
    ],
    [
      'a rate that is none',
      '<prosody rate="quick">a</prosody>',
      'the rate "quick" of <prosody> is ignored; use a number, a percentage or a name such as slow (line 1)',
    ],
    [
      'IPA',
      '<phoneme alphabet="ipa" ph="x">a</phoneme>',
      'the phonetic alphabet "ipa" is not supported, use x-arpabet or x-pinyin; the text is read instead (line 1)',
    ],
    [
      'a number that is none',
      '<say-as interpret-as="cardinal">many</say-as>',
      'cannot read "many" as "cardinal"; it is read as text (line 1)',
    ],
    [
      'an unknown reading',
      '<say-as interpret-as="song">la</say-as>',
      'cannot read "la" as "song"; it is read as text (line 1)',
    ],
    [
      'a break that is too long',
      'a<break time="90s"/>b',
      'the time "90s" of <break> is not one of up to 60 s, such as 1.5s or 300ms (line 1)',
    ],
    [
      'a break that is none',
      'a<break time="soon"/>b',
      'the time "soon" of <break> is not one of up to 60 s, such as 1.5s or 300ms (line 1)',
    ],
    [
      'silence within the text',
      '<mstts:silence type="Sentenceboundary" value="200ms"/>a',
      'the type "Sentenceboundary" of <mstts:silence> is ignored; use Leading or Tailing (line 1)',
    ],
    [
      'silence that is none',
      '<mstts:silence type="Leading" value="much"/>a',
      'the value "much" of <mstts:silence> is not one of up to 60 s, such as 200ms (line 1)',
    ],
    [
      'a turn of an unknown voice',
      '<mstts:turn speaker="carl">a</mstts:turn>',
      '<mstts:turn> names the unknown voice "carl"; its text is read in the voice around it (line 1)',
    ],
    [
      'a voice without a name',
      '<voice gender="female">a</voice>',
      '<voice> without a name is ignored (gender) (line 1)',
    ],
  ])('warns of %s', (_, content, expected) => expect(parsed('ssml', speak(content)).warnings).toEqual([expected]));

  it('does not cut a sentence where a language begins or ends', () => {
    const { passages } = parsed('ssml', speak('I like <lang xml:lang="fr-FR">Paris</lang> a lot.'));
    expect(passages.map(({ text }) => text)).toEqual(['I like Paris a lot.']);
  });

  it('warns once of what comes often', () => {
    expect(parsed('ssml', speak('<foo>a</foo>'.repeat(100))).warnings).toHaveLength(1);
  });

  it.each([
    ['an open element', '<speak>\n<p>a</speak>', 'the SSML is not valid at line 2, column 13: unexpected close tag'],
    ['an end too many', '<speak></p></speak>', 'the SSML is not valid at line 1, column 12: unexpected close tag'],
    ['no end', '<speak>a', 'the SSML is not valid at line 1, column 9: unclosed tag: speak'],
    ['an entity of its own', '<speak>&lol;</speak>', 'the SSML is not valid at line 1, column 13: undefined entity'],
    [
      'a document type',
      '<!DOCTYPE speak [<!ENTITY a "b">]><speak>&a;</speak>',
      'the SSML is not valid at line 1, column 35: a document type declaration is not allowed',
    ],
    [
      'an attribute twice',
      '<speak><break time="1s" time="2s"/></speak>',
      'the SSML is not valid at line 1, column 36: duplicate attribute: time',
    ],
    ['another root', '<p>a</p>', 'the SSML is not valid at line 1, column 4: the root element must be <speak>'],
    ['text alone', 'Hello', 'the SSML is not valid at line 1, column 6: text data outside of root node'],
    [
      'an ampersand',
      '<speak>A & B</speak>',
      'the SSML is not valid at line 1, column 21: unclosed tag: speak (write & as &amp;)',
    ],
  ])('refuses %s', (_, text, message) => {
    expect(() => parsed('ssml', text)).toThrow(new SvcError('INVALID_REQUEST', message));
  });

  it('refuses a voice that the request does not give', () => {
    expect(() => parsed('ssml', speak('<voice name="carl">a</voice>'))).toThrow(
      'unknown voice "carl" at line 1, column 27 of the script (available: anna, Ben, Dr. Ø)',
    );
  });
});

it('reads one text in different ways', () => {
  const read = (voices: readonly string[], code: 'skip' | 'read') =>
    parseScript('# One\n\n```\ntwo\n```\n', { format: 'markdown', voices, code });
  expect(read(['anna'], 'skip').passages).toHaveLength(1);
  expect(read(['anna'], 'read').passages).toHaveLength(2);
  expect(read(['ben'], 'skip').passages).toHaveLength(1);
});

it('reads Markdown down to 20 levels, in a time that lines of more do not multiply', () => {
  const read = (text: string) => parseScript(text, { format: 'markdown', voices: [], code: 'skip' }).passages;
  const list = (levels: number) =>
    Array.from({ length: levels }, (_, at) => `${'  '.repeat(at)}- item ${at + 1}\n`).join('');
  expect(read(list(9)).at(-1)?.text).toBe('item 9');
  expect(read(`${'> '.repeat(19)}a`)[0]?.text).toBe('a');
  expect(read(`${'> '.repeat(30)}a\n\nb`).map(({ text }) => text)).toEqual(['b']);
});

describe('script tags', () => {
  it.each([
    ['a pause in s', 'a [pause:1.5s] b', 'a|1.5| b'],
    ['a pause in ms', 'a [pause:300ms] b', 'a|0.3| b'],
    ['a pause without a unit', 'a [pause:2] b', 'a|2| b'],
    ['a pause with spaces', 'a [pause: 2 s ] b', 'a|2| b'],
    ['a pause in capitals', 'a [PAUSE:2S] b', 'a|2| b'],
    ['a pause from a point', 'a [pause:.5s] b', 'a|0.5| b'],
    ['no pause', 'a [pause:0s] b', 'a|0| b'],
    ['the longest pause', 'a [pause:60s] b', 'a|60| b'],
    ['pauses in a row', 'a [pause:1s][pause:2s] b', 'a|3| b'],
    ['a pause first', '[pause:1s] a', '|1| a'],
    ['a pause last', 'a [pause:1s]', 'a|1|'],
    ['a pause alone', '[pause:1s]', '|1|'],
    ['a voice', 'a [voice:anna] b', 'a anna: b'],
    ['a voice and back', '[voice:anna] a [voice:default] b', 'anna: a b'],
    ['the same voice again', '[voice:anna] a [voice:anna] b', 'anna: a  b'],
    ['a voice with a point and a space', '[voice: Dr. Ø ] a', 'Dr. Ø: a'],
    ['dialogue', 'anna: Hello.\nBen: Hi.', 'anna: Hello.|0.4| Ben: Hi.'],
    ['dialogue over lines', 'anna: Hello\nthere.\n\nBen: Hi.', 'anna: Hello\nthere.|0.4| Ben: Hi.'],
    ['a speaker twice', 'anna: a.\nanna: b.', 'anna: a.\nb.'],
    ['speakers in another case', 'ANNA: a.', 'anna: a.'],
    ['speakers in bold', '**anna:** a.\n**Ben**: b.', 'anna: a.|0.4| Ben: b.'],
    ['a wide colon', 'anna：你好。', 'anna: 你好。'],
    ['who is no speaker', 'Note: a.\nanna: b.', 'Note: a.|0.4| anna: b.'],
    ['a speaker within a line', 'So anna: a.', 'So anna: a.'],
    ['tags of the model', 'a [laughing] b [sigh]', 'a [laughing] b [sigh]'],
    ['phonemes', 'a {ni3} b', 'a {ni3} b'],
    ['brackets that are none', 'a [pause 1s] [pausing:1s] [1] b', 'a [pause 1s] [pausing:1s] [1] b'],
    ['a bracket that is open', 'a [pause:1s b', 'a [pause:1s b'],
    ['a line break in brackets', 'a [pause:\n1s] b', 'a [pause:\n1s] b'],
    ['brackets in brackets', 'a [[pause:1s]] b', 'a [|1| ] b'],
    ['nothing', '', ''],
  ])('reads %s', (_, text, expected) => expect(said('script', text)).toBe(expected));

  it('reads dialogue of speakers with any character in their names', () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
    for (const character of [...printable, '·', 'é', 'e\u0301', '安', '٣', '\u{1f600}']) {
      const name = `a${character}b`;
      const { passages } = parseScript(`${name}: Hello.`, { format: 'script', voices: ['ben', name], code: 'skip' });
      expect(passages).toEqual([expect.objectContaining({ text: 'Hello.', voice: name })]);
    }
  });

  it.each([
    [
      'a pause of words',
      'a\n[pause:long]',
      'invalid pause "long" on line 2 of the script: use up to 60 s, as in [pause:1.5s] or [pause:300ms]',
    ],
    [
      'a pause of nothing',
      '[pause:]',
      'invalid pause "" on line 1 of the script: use up to 60 s, as in [pause:1.5s] or [pause:300ms]',
    ],
    [
      'a pause below 0',
      '[pause:-1s]',
      'invalid pause "-1s" on line 1 of the script: use up to 60 s, as in [pause:1.5s] or [pause:300ms]',
    ],
    [
      'a pause of an hour',
      '[pause:3600s]',
      'invalid pause "3600s" on line 1 of the script: use up to 60 s, as in [pause:1.5s] or [pause:300ms]',
    ],
    ['a voice of no name', 'a\n[voice:] b', '[voice:] on line 2 of the script needs a name'],
    [
      'an unknown voice',
      'a\n\n[voice:carl] b',
      'unknown voice "carl" on line 3 of the script (available: anna, Ben, Dr. Ø)',
    ],
  ])('refuses %s', (_, text, message) => {
    expect(() => parsed('script', text)).toThrow(new SvcError('INVALID_REQUEST', message));
  });

  it.each([
    ['a\n[pause] b', 'unknown tag "[pause]" on line 2 is read as text; did you mean "[pause:1s]"?'],
    ['[puase:2s] a', 'unknown tag "[puase:2s]" on line 1 is read as text; did you mean "[pause:2s]"?'],
    ['[pause:1s Hi', 'unknown tag "[pause:1s Hi" on line 1 is read as text; did you mean "[pause:1s]"?'],
    ['[vioce:anna] Hi', 'unknown tag "[vioce:anna]" on line 1 is read as text; did you mean "[voice:anna]"?'],
  ])('warns of %j', (text, warning) => expect(parsed('script', `${text}\n${text}`).warnings).toEqual([warning]));

  it('takes other brackets for text', () => {
    const text = '[1] [noise] [laughing] [note: see] [sic] [pause:1s] [voice:anna] [a: b';
    expect(parsed('script', text).warnings).toEqual([]);
  });

  it('warns of tags in a text that is not a script', () => {
    const options = { voices: [], code: 'skip' } as const;
    const text = 'Hi [sic] [pause:1.5s] there.';
    expect(parseScript(text, { ...options, format: 'auto' }).warnings).toEqual([
      'script tags such as "[pause:1.5s]" are read as text; set the input format to "script" (--input-format, over HTTP input_format)',
    ]);
    expect(parseScript(text, { ...options, format: 'plain' }).warnings).toEqual([]);
    expect(parseScript('[pause:long] [x]', { ...options, format: 'auto' }).warnings).toEqual([]);
  });

  it('reads tags of voices in any text', () => {
    const read = (text: string) =>
      parseScript(text, { voices: ['anna'], code: 'skip', format: 'markdown' }).passages.map(
        ({ voice, text: said }) => `${voice ?? '-'}: ${said}`,
      );
    expect(detectFormat('Hi. [voice:anna] There.', [], 'followed')).toBe('script');
    expect(detectFormat('# Hi.\n\n[voice:anna] There.', [], 'followed')).toBe('markdown');
    expect(detectFormat('Hi. [voice:anna] There.', [])).toBe('plain');
    expect(read('# One\n\nTwo **b** [voice:Anna] three.\n\nFour `[voice:x]` [voice:default] five.')).toEqual([
      '-: One',
      '-: Two b',
      'anna: three.',
      'anna: Four [voice:x]',
      '-: five.',
    ]);
    expect(() => read('a [voice:anan] b')).toThrow(
      'unknown voice "anan" in the text (available: anna); did you mean "anna"?',
    );
    // Brackets are common where nobody says that they are tags.
    expect(read('a [pause: dramatic] b')).toEqual(['-: a [pause: dramatic] b']);
    expect(voiceNamesIn('# a\n\n[voice:Anna] `[voice:x]`\n\n```\n[voice:y]\n```\n', 'markdown')).toEqual(['Anna']);
    expect(voiceNamesIn('# a\n\n[voice:Anna]', 'auto')).toEqual([]);
    expect(voiceNamesIn('# a\n\n[voice:Anna]', 'auto', [], 'followed')).toEqual(['Anna']);
  });

  it('refuses a voice where the request gives none', () => {
    expect(() => parseScript('[voice:anna] a', { format: 'script', voices: [], code: 'skip' })).toThrow(
      'unknown voice "anna" on line 1 of the script (none is given; use voices, or --voices on the command line)',
    );
  });
});

describe('turns', () => {
  const turns = (...list: readonly object[]): string => said('turns', JSON.stringify(list));

  it.each([
    ['one', [{ text: 'Hello.' }], 'Hello.'],
    ['a voice', [{ text: 'Hello.', voice: 'anna' }, { text: 'Hi.' }], 'anna: Hello.|0.4| Hi.'],
    ['a voice in another case', [{ text: 'Hello.', voice: 'ANNA' }], 'anna: Hello.'],
    ['the own voice by name', [{ text: 'Hello.', voice: 'default' }], 'Hello.'],
    [
      'no voice',
      [
        { text: 'Hello.', voice: '' },
        { text: 'b', voice: null },
      ],
      'Hello.|0.4| b',
    ],
    [
      'a pause',
      [
        { text: 'a', pause: 1.5 },
        { text: 'b', pause: 0 },
      ],
      'a|1.5| b|0|',
    ],
    ['tags as text', [{ text: '[pause:1s] a [voice:zoe] <break/>' }], '[pause:1s] a [voice:zoe] <break/>'],
    ['tags', [{ text: 'a [pause:1s] b [voice:Ben] c', voice: 'anna', format: 'script' }], 'anna: a|1| anna: b Ben: c'],
    ['SSML', [{ text: '<speak>a <break time="2s"/> b</speak>', format: 'auto' }], 'a|2| b'],
    ['Markdown', [{ text: '# A\n\nb', voice: 'anna', format: 'markdown' }], 'anna: A|1| anna: b'],
    ['any character', [{ text: 'a "b" \\ \u2028 {c}' }], 'a "b" \\ \u2028 {c}'],
  ])('may have %s', (_, list, expected) => expect(turns(...list)).toBe(expected));

  it.each([
    ['{}', 'turns must be an array of turns, got an object with 0 fields'],
    ['[]', 'turns must be an array with at least one turn, got an empty array'],
    ['[', 'turns must be a JSON array, such as'],
    ['["a"]', 'turn 1 must be an object with a text, such as {"voice": "anna", "text": "Hello."}, got "a"'],
    ['[{"text": ""}]', 'text of turn 1 must be a string with at least one visible character, got ""'],
    ['[{"text": "a", "txt": "b"}]', 'unknown field "txt" in turn 1'],
    ['[{"text": "a", "format": "turns"}]', 'format of turn 1 must be one of auto, plain, markdown, ssml, script'],
    ['[{"text": "a", "pause": -1}]', 'pause of turn 1 must be a number from 0 to 60, got -1'],
    ['[{"text": "a", "voice": "zoe"}]', 'unknown voice "zoe" in turn 1 of the script (available: anna, Ben, Dr. Ø)'],
    [
      JSON.stringify(Array(1001).fill({ text: 'a' })),
      'turns must be an array of at most 1000 turns, got an array of 1001',
    ],
    [
      '[{"text": "a"}, {"text": "a\\n[pause:x]", "format": "script"}]',
      'turn 2: invalid pause "x" on line 2 of the script',
    ],
    ['['.repeat(100_000), 'turns must be a JSON array'],
  ])('refuses %.40s', (text, message) => expect(() => parsed('turns', text)).toThrow(message));

  it('name their voices', () => {
    const list = [
      { text: '[voice:ben] a', voice: 'anna' },
      { text: '[voice:zoe] a', format: 'script' },
      { text: '<speak><voice name="max">a</voice></speak>', format: 'auto', voice: 'Anna' },
    ];
    expect(voiceNamesIn(JSON.stringify(list), 'turns')).toEqual(['anna', 'zoe', 'max']);
  });
});
