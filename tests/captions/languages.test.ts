/** Captions of ten minutes of speech in six languages, as a player reads them. */
import { expect, it } from '@jest/globals';
import { formatCaptions } from '../../src/captions/captions.ts';
import { displayWidth } from '../../src/captions/display-width.ts';
import { wordsOf } from '../../src/engine/text/words.ts';
import { speechWeight } from '../../src/engine/timing/syllables.ts';
import type { TimedSentence } from '../../src/engine/timing/timed-text.ts';
import { cuesIn } from './read-captions.ts';

const texts: Readonly<Record<string, readonly string[]>> = {
  English: [
    'The old harbor was quiet in the early morning, before the first boats came in.',
    'Yes.',
    'Go.',
    'Why?',
    'Nobody had told the fishermen that the market would be closed for the whole week, and so they sold what they could to the few people who still walked along the water, talking about the weather, the price of bread and the election.',
    '"Come back tomorrow," she said.',
    'See https://example.com/a/very/long/address/of/a/page/that/nobody/will/ever/remember?or=type for more.',
  ],
  Chinese: [
    '清晨的老港口非常安静，第一批渔船还没有回来。',
    '是的。',
    '走吧。',
    '为什么？',
    '没有人告诉渔民们市场要关闭整整一个星期，所以他们只好把鱼卖给还在水边散步的少数几个人，一边聊着天气、面包的价格和选举的结果。',
    '“明天再来吧。”她说。',
  ],
  Japanese: [
    '早朝の古い港は静かで、最初の船はまだ戻っていませんでした。',
    'はい。',
    '行こう。',
    'なぜ？',
    '市場が一週間ずっと閉まることを漁師たちに伝えた人は誰もいなかったので、彼らは水辺を歩いていた数少ない人々に、天気やパンの値段や選挙の話をしながら魚を売るしかありませんでした。',
    'コーヒーを飲みながら、「また明日来てください」と彼女は言いました。',
  ],
  Thai: [
    'ท่าเรือเก่าเงียบสงบในตอนเช้าตรู่ก่อนที่เรือลำแรกจะกลับมา',
    'ใช่',
    'ไปเถอะ',
    'ไม่มีใครบอกชาวประมงว่าตลาดจะปิดตลอดทั้งสัปดาห์ พวกเขาจึงขายสิ่งที่ขายได้ให้กับคนไม่กี่คนที่ยังเดินอยู่ริมน้ำ คุยกันเรื่องอากาศ ราคาขนมปัง และการเลือกตั้ง',
  ],
  German: [
    'Der alte Hafen war am frühen Morgen ruhig, bevor die ersten Boote hereinkamen.',
    'Ja.',
    'Geh!',
    'Niemand hatte den Fischern gesagt, dass der Markt wegen der Donaudampfschifffahrtsgesellschaftskapitänswitwenversammlung die ganze Woche geschlossen bleiben würde, und so verkauften sie, was sie konnten.',
    '„Komm morgen wieder“, sagte sie.',
  ],
  Burmese: [
    'ဆိပ်ကမ်းဟောင်းသည် နံနက်စောစောတွင် တိတ်ဆိတ်နေသည်။',
    'ဟုတ်ကဲ့။',
    'ဈေးတစ်ပတ်လုံးပိတ်မည်ဟု တံငါသည်များကို မည်သူမျှမပြောခဲ့သောကြောင့် သူတို့သည် ရေစပ်တွင်လမ်းလျှောက်နေသော လူအနည်းငယ်ထံသို့ ရောင်းချခဲ့ကြသည်။',
  ],
};

const secondsPerWeight = 0.2;
const pauses = [0.05, 0.4, 0.9];

/** Ten minutes of these sentences, with pauses of several lengths between them. */
function spoken(sentences: readonly string[]): readonly TimedSentence[] {
  const timed: TimedSentence[] = [];
  for (let time = 0, count = 0; time < 600; count += 1) {
    const text = sentences[count % sentences.length] as string;
    const start = time;
    const words = wordsOf(text).map((word) => {
      const from = time;
      time += secondsPerWeight * speechWeight(word);
      return { text: word, start: from, end: time };
    });
    timed.push({ text, start, end: time, words, method: 'estimated' });
    time += pauses[count % pauses.length] as number;
  }
  return timed;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const frames = 2 / 25;

it.each(Object.keys(texts))('can be read in %s', (language) => {
  const sentences = spoken(texts[language] as readonly string[]);
  const cues = cuesIn(formatCaptions(sentences, 'srt', { highlight: 'none' }));
  const squeezed = (text: string): string => text.replace(/\s/gu, '');
  expect(squeezed(cues.flatMap(({ lines }) => lines).join(''))).toBe(
    squeezed(sentences.map(({ text }) => text).join('')),
  );
  for (const [index, { start, end, lines }] of cues.entries()) {
    const next = cues[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    // A letter and its marks are one character to a reader.
    const characters = [...graphemes.segment(lines.join(''))].length;
    expect(lines.length).toBeLessThanOrEqual(2);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(42);
    expect(next - end).toBeGreaterThanOrEqual(frames);
    expect(end - start).toBeGreaterThanOrEqual(0.8 - 1e-9);
    expect(end - start).toBeLessThanOrEqual(7 + 1e-9);
    // Speech may be faster than reading; then the cue stays until the next one.
    if (characters / (end - start) > 20.1) expect(next - end).toBeLessThan(0.09);
  }
});
