import { describe, expect, it } from '@jest/globals';
import { sentencesOf } from '../../../src/engine/text/sentences.ts';
import { languages } from './languages.ts';

/** `|` marks the end of a sentence. */
const english = [
  'Hello there.| How are you?| I am fine!',
  'Dr. Smith met Mr. Jones and Mrs. Hall.| They talked.',
  'Prof. Ada Vance, Ph.D., spoke.| We listened.',
  'He lives in the U.S. Government work is dull.| He moved to the U.S.| The work is dull.',
  'She has a Ph.D.| It took years.',
  'J. R. R. Tolkien wrote it.| John F. Kennedy read it.',
  'We took plan B.| Then we left.',
  'It costs 3.14 dollars.| Version 2.0.1 is out.| See v1.2.| Then go.',
  'The population is 1,234,567.89 people.| Amazing.',
  'Visit https://example.com/a.b?c=d.| Then go to www.example.org!| Mail a.b@c.de.| Done.',
  'Open C:\\temp\\a.txt or ./b.ts.| Both work.',
  'Node.js is fast.| So is example.com today.',
  'Well... maybe.| Well...| Maybe not.',
  'Wait… what?| Wait…| What?',
  '"Stop!" he said.| "Go away."| She left.',
  '“Stop!” he said.| “Go away.”| She left.',
  'He said "hello."| Then "bye."| The end.',
  "He said 'yes.'| Then 'no'.| The end.",
  'He asked (Was it you? Yes.) and left.| (It was over.)| Then he slept.',
  'It works [see p. 3. Really] well.| Good.',
  'See No. 5.| He said no.| Then he left.',
  'Look at Fig. 3 and pp. 4-5.| Next.',
  'On Jan. 5 it rained.| On Feb. 3 he came.',
  'At 5 p.m. he left.| At 6 a.m. Anna came.',
  'Apples, pears, etc.| Then more.',
  'Use tools, e.g. Excel, i.e. Microsoft software.| Fine.',
  'Smith et al. Report this.| Smith et al. wrote it.',
  '1. First item.| 2. Second item.',
  'A. First.| B. Second.',
  'Apple Inc. CEO Tim Cook spoke.| He works at Apple Inc.| The end.',
  'Martin Luther King Jr. Day is in January.| It is cold.',
  'Go to St. Mary by 5.| Bring bread.',
  'Lions vs. Tigers.| Who won?',
  'Really?!| Yes!!!| OK.',
  'i like it. it is good.',
  'What?| no.| Yes.',
  'It was 2020.| 10 people came.',
  'He scored 10.| It was great.',
  'What is 3.?| Three.',
  'The end',
  'One.',
  '...',
  'No space.After a full stop.| Next.',
  'He said: "I came.| I saw."| She laughed.',
  'Is it "done"?| Yes.',
  'The temperature is -3.5 degrees.| Cold!',
  'Meet at 10.30 a.m. on Monday.| Bye.',
  '¿Qué pasa?| ¡Nada!| Vale.',
  '(1) One thing.| (2) Another thing.',
  'He left.)| Then he came.',
] as const;

/** Marks inside a sentence, which must not end it, and those beside them that do. */
const inside = [
  'Visit e.g. Paris or i.e. The Hague.| Lions vs. Them.',
  'It starts at 10 a.m. Eastern.| Then more.',
  'It is 10 a.m. Eastern time, or 11:58 p.m. PDT.| Call me at 5 p.m. Monday.| Bye.',
  'At 5 a.m. Mr. Smith left.| He was back at 6 P.M.| Mr. Smith slept.',
  '5 a.m. Mr. Smith',
  'Meet at 5 p.m.| May I come?',
  'In 44 B.C. Caesar was killed.| He died in 44 B.C.| Caesar was popular.',
  'A.D. 79 was bad.| It was 79 A.D.| Rome stood.',
  'Wir trafen Dr. med. Müller.| Und Prof. Dr. rer. nat. Klein.| Dann Dr. phil. Anna Roth.',
  'Dr. h. c. Meier kam.| Priv.-Doz. Dr. Bauer auch.| Univ.-Prof. Dr. Groß, Dr.-Ing. Weber.',
  'See Fig. A and Vol. B here.| He ate a fig.| A man came.',
  'He said no.| I left.| He said no.| A man came.| No.| I will.| See No. V.',
  'It weighs 2 lb. 4 oz. in all.| It took 2 Std. 30 Min. mehr.',
  'You paid Rs. 500.| It is N°. 7.',
  'Water is wet.[1]| It is cold.[2][3]| Fine.[citation needed]| Yes.¹| No.',
  'The common cold is common.11,12| Take an example (1987).1| According to it.',
  'She works at Yahoo! in sales.| Yahoo!| It works.',
  'Happy! ... no one came.| Happy! -- not me.',
  'He used "a series [...]" (Smith 55).| Then more.',
  'He thought . . . about it.| He said . . . I went.',
  'It was not kept . . . .| Next.',
  'It was kept.| . . . The rest was not.',
  '— Ты идёшь? — спросила она.| — Да.',
  '—¿Vienes? —preguntó María.',
  'Спросил (... и ушёл).| Вот.',
  'D. h. Anna kam.| Z. B. Montag.| Am 3. 5. 2026 war das.',
  'Mon. Jan. 5 is fine.| I like the sun.| Jan left.',
  'Anna Roth, M.Sc. Physik.| P.S. I love you.| At 5 deg. C in Bldg. C now.',
  'It is out.| iOS is new.',
  'See Fig. A.| Water is wet.| It has vitamin C.| Anna has more.',
  'Er ist im 1. Stock.| Das war im 19. Jahrhundert so.| 1. Weltkrieg.',
  'Acme Inc. Products sell.| I left Acme Inc.| Der Rest blieb.',
] as const;

/** Items of a list in one line begin sentences. */
const lists = [
  '1. Open the door| 2. Close the door| 3. Go',
  'Do this.| 1.) Open it| 2.) Close it',
  '(a) Hello.| (b) world.| (c) again.',
  'i) one| ii) two| iii) three',
  'a. Open it b| b. Close it',
  '• 9. First item| • 10. Second item',
  '• First item| • Second item',
  '• 3. Alone.| Not.',
  'To buy: a) bread, b) milk and c) eggs.| Go.',
  'Vom 1. bis 2. Mai ist frei.',
  'He scored 1.| Then 2.| He won.',
  'Vitamin a. we take b. and c.',
] as const;

const chinese = [
  '你好。|今天天气很好！|你觉得呢？|我们走吧。',
  '他说：“你好！”|然后走了。|“走吧。”他说。|“好。”|我们走。',
  '“真的吗？”小明笑着问道。|“是的。”',
  '他说。|"你好。"|再见。',
  '「你好。」|「再见。」',
  '我……我不知道。|真的吗？！|是的。',
  '他走了……“为什么？”|没人知道。',
  '圆周率是3.14。|版本2.0已发布。',
  '价格是1,234.5元。|太贵了！！！|走吧。',
  '我看了（非常好。真的。）这本书。|很好。',
  '《你好。再见》是一本书。|很厚。',
  '第一，吃饭；第二，睡觉。|完了。',
  '没有标点的一句话',
  '他问：“去吗？|去哪里？”，我没回答。|走了。',
  '“我知道。”|没人知道他是谁。',
  '（他走了。）|我们留下。',
  '全角．|句号。|３．１４是数字。',
  'です。|そうですか？|はい！',
] as const;

const mixed = [
  '访问https://example.com/a?b=1。|谢谢。',
  '我用Node.js写代码. |很好。',
  'I love it.|然后走了。',
  'Hello。| World.| 再见！| Bye!',
  '他说OK.|然后Dr. Wang来了。',
  '版本v1.2.3发布了！|Try it now.| 好用吗？',
  'iPhone 15 Pro Max售价$999.99。|太贵。',
  'GPT-4.5很强。|比GPT-4强多了。',
  '“Hello!”他笑了。|“Bye.”',
  'यह है।| वह है।| ठीक?',
  'هل أنت بخير؟| نعم.',
] as const;

/** Punctuation of the other scripts of VoxCPM 2's languages, with and without a following space. */
const scripts = [
  'မင်္ဂလာပါ။| နေကောင်းလား။|ကျေးဇူးတင်ပါတယ်။',
  'သူက ပြော၊ ငါက နားထောင်။| ပြီးပြီ။',
  'សួស្តី។| អ្នកសុខសប្បាយទេ?| បាទ។|អរគុណ៕',
  'Πού είσαι;| Εδώ είμαι.| Καλά· πάμε.',
  'ما اسمك؟|اسمي علي۔| شكرا!',
  'यह है।|वह है॥| ठीक।',
  'מה שלומך?| טוב.',
  'ሰላም።|እንዴት ነህ?| ደህና።',
  'Բարև։| Ինչպե՞ս ես։| Լավ։',
  'Բարև Ձեզ:| Իմ անունն Ավա է:',
  // A semicolon after a single Greek letter or another script is not a Greek question mark.
  'Take α; then β; then stop.| Done; nearly.',
] as const;

const expectSentences = (marked: string): void => {
  const text = marked.replaceAll('|', '');
  const spans = [...sentencesOf(text)];
  expect(spans.map(({ start, end }) => text.slice(start, end).trim())).toEqual(
    marked.split('|').map((part) => part.trim()),
  );
  // Nothing is lost or duplicated.
  expect(spans.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
};

describe('sentencesOf', () => {
  it.each(english)('English: %s', expectSentences);
  it.each(inside)('a mark inside: %s', expectSentences);
  it.each(lists)('a list in a line: %s', expectSentences);
  it.each(chinese)('Chinese: %s', expectSentences);
  it.each(mixed)('mixed and others: %s', expectSentences);
  it.each(scripts)('other scripts: %s', expectSentences);
  it.each(Object.entries(languages).flatMap(([language, texts]) => texts.map((text) => [language, text] as const)))(
    '%s: %s',
    (_language, text) => expectSentences(text),
  );

  it.each(['', ' ', '\n'])('returns blank text unchanged: %j', (text) => {
    expect([...sentencesOf(text)].map(({ start, end }) => text.slice(start, end))).toEqual(text === '' ? [] : [text]);
  });
});
