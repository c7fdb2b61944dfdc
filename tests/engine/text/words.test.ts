import { expect, it } from '@jest/globals';
import { wordsOf } from '../../../src/engine/text/words.ts';

it.each([
  'Hello,|dear|(friend)!',
  '你好，|世界。',
  '我|爱|TypeScript',
  '他|说：|“你好！”|然后|走了。',
  '说|"OK"|吧',
  '2026|年|3|月',
  'C++|和|C#',
  '（他）|走了',
  'コーヒー|を|飲む。|「はい！」',
  'ผม|ชอบ|กิน|ข้าว|ผัด|มาก|ครับ',
  'ខ្ញុំ|ចូលចិត្ត|ញ៉ាំបាយ។|បាទ',
  'ကျွန်တော်|ထမင်းစား|ချင်|တယ်။',
  'ຂ້ອຍ|ມັກ|ກິນເຂົ້າ',
  '한국어|문장입니다.',
  '{ni3}|{hao3}，|世界',
  '——',
])('the words of %s', (marked) => {
  const words = marked.split('|');
  expect(wordsOf(words.join(' '))).toEqual(words);
  // Without the spaces that only some scripts have.
  if (!/[A-Za-z가-힣]/u.test(marked)) expect(wordsOf(words.join(''))).toEqual(words);
});

it('keeps a text that has no words', () => {
  expect(['', ' ', '“”'].map(wordsOf)).toEqual([[], [], ['“”']]);
});
