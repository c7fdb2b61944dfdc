import { describe, expect, it } from '@jest/globals';
import { cleanText, isSpeakable } from '../../../src/engine/text/clean.ts';
import { countedCopy, growthOf } from '../../support/work.ts';

const counted = await countedCopy<typeof import('../../../src/engine/text/clean.ts')>('src/engine/text/clean.ts');

const cases: readonly (readonly [text: string, cleaned: string])[] = [
  // Rules that look around a place, behind what another has removed
  ['<!-- -->x<A>', 'x<A>'],
  ['1\ufe0f\u20e3a😀b', '1a b'],
  ['a【4†x】 see [1].', 'a see [1].'],
  // Quotes
  ['“Hello,” she said. ‘Yes.’', '"Hello," she said. \'Yes.\''],
  ['It’s the dogs’ bowl', "It's the dogs' bowl"],
  ['„Gut“ «\u00a0Bon\u00a0» ‹a›', '"Gut" "Bon" \'a\''],
  ['»Kom nu!« sagde hun. »Ja.« Så »gik« de.', '"Kom nu!" sagde hun. "Ja." Så "gik" de.'],
  ['Il dit : « Non », puis « oui ».', 'Il dit : "Non", puis "oui".'],
  ['他说：“你好。”「再见。」', '他说："你好。""再见。"'],
  ['5′ 6″', '5\' 6"'],
  // Letters of other styles
  ['𝒽ℯ𝓁𝓁ℴ ℝ𝕠𝕒𝕕 𝟏𝟐', 'hello Road 12'],
  ['🅷🅴🅻🅻🅾 ⓗⓔⓛⓛⓞ 🄷🄸 🅐🅩', 'HELLO hello HI AZ'],
  ['ĳsbeer ﬁne ſo ｶﾞｲﾄﾞ ﻣﺮﺣﺒﺎ', 'ijsbeer fine so ガイド مرحبا'],
  ['ʜᴇʟʟᴏ ᴛᴇxᴛ ᴴᴱᴸᴸᴼ h̶e̶l̶p̶', 'hello text HELLO help'],
  ['ₕₑₗₗₒ ⒣⒠⒧⒧⒪ l\u0332i\u0332n\u0332e', 'hello hello line'],
  ['/bɪɡ/ x² Mᵐᵉ № 🅰\ufe0f', '/bɪɡ/ x² Mᵐᵉ № '],
  // Readings
  ['憂鬱《ゆううつ》な｜the sea《うみ》［＃改ページ］。《红楼梦》', '憂鬱なthe sea。《红楼梦》'],
  // Dashes
  ['He—well—left.', 'He, well, left.'],
  ['He — well – left.', 'He, well, left.'],
  ['word--word and a -- b', 'word, word and a, b'],
  ['run npm --save now', 'run npm --save now'],
  ['1990–1995 and Paris–London', '1990-1995 and Paris-London'],
  ['a‐b and a‑b and −5', 'a-b and a-b and -5'],
  ['9 a.m. – 5 p.m., 5 km – 10 km, $5 – $10, 5% – 10%', '9 a.m.-5 p.m., 5 km-10 km, $5-$10, 5%-10%'],
  ['Mon – Fri, Jan 5 – Feb 12, Jan 2023 — Mar 2024', 'Mon-Fri, Jan 5-Feb 12, Jan 2023-Mar 2024'],
  ['1月5日—1月10日，周一—周五，上午9点—下午5点', '1月5日-1月10日，周一-周五，上午9点-下午5点'],
  ['в 1980-х – 1990-х, 1960s – 1970s', 'в 1980-х-1990-х, 1960s-1970s'],
  ['5. Jan. – 12. Feb., enero – marzo, 5 мая – 3 июня', '5. Jan.-12. Feb., enero-marzo, 5 мая-3 июня'],
  [
    'Mo – Fr 9 Uhr, lun. – ven. 9 h, là – 5 chats, I may – or not, пн – пт',
    'Mo-Fr 9 Uhr, lun.-ven. 9 h, là, 5 chats, I may, or not, пн-пт',
  ],
  ['He was 5 — Mary was 7.', 'He was 5, Mary was 7.'],
  ['—Yes.\n—No.', 'Yes.\nNo.'],
  ['Er ging.–Sie blieb. "Nein!"–"Doch!"', 'Er ging. Sie blieb. "Nein!" "Doch!"'],
  ['"I was—" he said.', '"I was" he said.'],
  ['Stop. — Go', 'Stop. Go'],
  ['the end —', 'the end'],
  ['— Ты идёшь? — спросила она. — Да.', 'Ты идёшь? - спросила она. Да.'],
  ['—¿Vienes? —preguntó María.', '¿Vienes? - preguntó María.'],
  ['– Ты идёшь? – спросила она.\n– Да.', 'Ты идёшь? - спросила она.\nДа.'],
  ['他来了——然后走了', '他来了，然后走了'],
  // Ellipses and repeated punctuation
  ['Wait… what', 'Wait... what'],
  ['等等……好', '等等...好'],
  ['a. . . b ..... c。。。d', 'a... b ... c...d'],
  ['wait.. ok ../path ./a', 'wait. ok ../path ./a'],
  ['What?!?! No!!! 好！！！真的？！', 'What? No! 好！真的？'],
  ['a,, b;; c，，d', 'a, b; c，d'],
  ['Wow‼ Eh⁉', 'Wow! Eh?'],
  ['one\n=====\n*****\ntwo', 'one\n \n \ntwo'],
  // Invisible and control characters
  ['a\u200bb\u00adc\ufeffd\u2060e\u202ef', 'abcdef'],
  ['a\u0000b\u0007c\u009fd\u007fe', 'abcde'],
  ['\u001b[31mred\u001b[0m \u001b]0;title\u0007text', 'red text'],
  ['a\ud800b\udc00c', 'abc'],
  ['a\ufffdb\ue000c\ufdd0d', 'abcd'],
  ['می\u200cخواهم क्\u200dष', 'می\u200cخواهم क्\u200dष'],
  ['a \u200d b', 'a  b'],
  // Emoji
  ['Hi 😀!', 'Hi!'],
  ['now 😀. then 😀 . (wow 😮)', 'now. then. (wow)'],
  ['Nice (😀). "Wow 😮" she said', 'Nice. "Wow" she said'],
  ['Hi😀there', 'Hi there'],
  ['👨‍👩‍👧 ok 👍🏽 🇩🇪', ' ok  '],
  ['key 1\ufe0f\u20e3 ❤\ufe0f © ™', 'key 1'],
  ['Nice :tada: work :+1:', 'Nice  work '],
  ['at 10:30:45, a:b:c and C: or D:', 'at 10:30:45, a:b:c and C: or D:'],
  // Signs without sound
  ['Acme™ soap © 2026 Acme®', 'Acme soap 2026 Acme'],
  ['Acme™ & Co', 'Acme & Co'],
  ['Menu → File→Open', 'Menu, File, Open'],
  ['3.11 → 3.12, 10 kg → 8 kg, iOS 17 → iOS 18', '3.11 -> 3.12, 10 kg -> 8 kg, iOS 17 -> iOS 18'],
  ['File -> Save and p->x', 'File, Save and p->x'],
  ['Go on → \n← Back', 'Go on \nBack'],
  ['I <3 you :) :D ;-) ツ', 'I  you    '],
  ['x <3 and C:D or (see: 3)', 'x <3 and C:D or (see: 3)'],
  ['✓ Done ★ ■ ○', 'Done'],
  ['│ a │ b │', 'a b'],
  ['| a | b |\n| c | d |', 'a, b\nc, d'],
  ['a|b and x || y', 'a|b and x || y'],
  ['Home • About • Help', 'Home, About, Help'],
  ['Buy:\n• milk\n• eggs', 'Buy:\nmilk\neggs'],
  ['• 1. One • 2. Two', '1. One 2. Two'],
  ['Fact† (see‡).', 'Fact (see).'],
  ['❶ ² ½ 5° № 3 § 4', '❶ ² ½ 5° № 3 § 4'],
  // Tags and references
  ['<b>Hi</b> there<br/>you <a href="x">all</a>', 'Hi there you all'],
  ['<p>One.</p><p>Two.</p>', ' One.  Two. '],
  ['a <b and c> d <y> <!-- no -->', 'a <b and c> d <y> '],
  ['Wet.[1] Cold,[2][3] dry.[citation needed]\nYes.¹', 'Wet. Cold, dry.\nYes.'],
  ['It is so 【1†source】.', 'It is so.'],
  ['as he says[a] and others.[b] The list[i] is c[h]anged', 'as he says and others. The list[i] is c[h]anged'],
  ['revenue 2x ↑ 5%', 'revenue 2x, 5%'],
  ['Paris [1] and, in 1990,[2] people [2, 3][note 4]. Wow [6]', 'Paris and, in 1990, people. Wow'],
  ['well [5],[6]. Others [7], [8] and 1950.[3]:25 Later', 'well. Others and 1950. Later'],
  ['list[1] and [1] and 2[3], a[0] = [1, 2]', 'list[1] and [1] and 2[3], a[0] = [1, 2]'],
  ['red</td><td>blue 10<sup>4</sup> m<sup>-2</sup> 1<sup>st</sup> 2<sup>n</sup>', 'red  blue 10⁴ m⁻² 1st 2^n'],
  ['optional<T> Box<P> x<B>bold</B>', 'optional<T> Box<P> xbold'],
  ['C# 12, .NET 8, . b', 'C# 12, .NET 8. b'],
  // Forms
  ['cafe\u0301', 'café'],
  ['m² ½ Ⅳ', 'm² ½ Ⅳ'],
  ['㍿ ℡', '株式会社 TEL'],
  ['“I need a rest.”1 He slept.', '"I need a rest." He slept.'],
  ['He said "5."', 'He said "5."'],
  ['ＡＢＣ１２３％＆', 'ABC123%&'],
  ['你好，世界！', '你好，世界！'],
  ['ﬁne ﬂow 𝐁𝐨𝐥𝐝', 'fine flow Bold'],
  ['10℃', '10°C'],
  // Unchanged, above all white space
  [' a\t\tb \n\n c\u00a0d\u3000e\u2028f\u0085g\u001ch', ' a\t\tb \n\n c\u00a0d\u3000e\u2028f\u0085g\u001ch'],
  [
    "rock 'n' roll, e.g. (this) [that] {x} <y> 50% $5 #1 a@b.c",
    "rock 'n' roll, e.g. (this) [that] {x} <y> 50% $5 #1 a@b.c",
  ],
  ['https://example.com/a--b?c=d&e=f', 'https://example.com/a--b?c=d&e=f'],
  ['', ''],
];

describe('cleanText', () => {
  it.each(cases)('%j becomes %j', (text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  it.each(cases)('does not change cleaned text again: %j', (text) => {
    const once = cleanText(text);
    expect(cleanText(once)).toBe(once);
  });

  it('does not change ordinary text', () => {
    const text = 'Dr. Smith paid $3.50 (about 3 euros) for "it", didn\'t he? 是的，他付了。';
    expect(cleanText(text)).toBe(text);
  });

  it('does not change tags and phonemes', () => {
    const text = 'Well [Question-ah] [Uhm], {HH AH0 L OW1}! 你{hao3}[laughing]。';
    expect(cleanText(text)).toBe(text);
  });

  it.each(['a', ' ', '-', '. ', ', '])('takes linear time for %j', async (piece) => {
    expect(await growthOf((count) => counted.cleanText(piece.repeat(count)), 5_000, 20_000)).toBeLessThan(5);
  });
});

describe('isSpeakable', () => {
  it.each(['a', '7', '中', 'é', 'ß', '$', '%', '&', '½', 'ก'])('accepts %j', (text) => {
    expect(isSpeakable(`. ${text} !`)).toBe(true);
  });
  it.each(['', ' \n', '...', '?!', '"—"', '* * *', '😀', '。，'])('rejects %j', (text) => {
    expect(isSpeakable(text)).toBe(false);
  });
});

it.each([
  ['He stopped.—She went on.', 'He stopped. She went on.'],
  ['first,—second', 'first, second'],
  ['MARY.—Where?', 'MARY. Where?'],
  ['"No"—and left', '"No" and left'],
  ['He said—“no”—and left', 'He said, "no" and left'],
  ['“It—” “Well—‘so’,” they said', '"It" "Well, \'so\'," they said'],
  ['"No"--and left', '"No" and left'],
  ['I saw him.--Then', 'I saw him. Then'],
  ['“Stop!”—“Why?” he said:—“Go!”', '"Stop!" "Why?" he said: "Go!"'],
])('a dash behind a mark glues no words: %s', (text, cleaned) => expect(cleanText(text)).toBe(cleaned));
