/** Numbers in the case of their sentence, where a preposition, a suffix or a noun shows it. */
import { expect, it } from '@jest/globals';
import { verbalizeText } from '../../../support/verbalize.ts';

it.each([
  ['ru', 'в 1998 г. в Москве', 'в тысяча девятьсот девяносто восьмом году в Москве'],
  ['ru', '5 мая 1998 г.', 'пятого мая тысяча девятьсот девяносто восьмого года.'],
  ['ru', '1998 г. был трудным', 'тысяча девятьсот девяносто восьмой год был трудным'],
  ['ru', 'к 2030 году', 'к две тысячи тридцатому году'],
  ['ru', 'с 2010 по 2015 год', 'с две тысячи десятого по две тысячи пятнадцатый год'],
  ['ru', 'в 1941–1945 гг. шла', 'в тысяча девятьсот сорок первом-тысяча девятьсот сорок пятом годах шла'],
  ['ru', 'к 5 мая, до 10 июня, на 3 июля', 'к пятому мая, до десятого июня, на третье июля'],
  ['ru', 'от 5 до 10 человек', 'от пяти до десяти человек'],
  ['ru', 'более 50% и около 20 км', 'более пятидесяти процентов и около двадцати километров'],
  ['ru', 'до 100 ₽', 'до ста рублей'],
  ['ru', 'вес с 2,5 до 3,7 кг', 'вес с двух целых пяти десятых до трех целых семи десятых килограмма'],
  [
    'ru',
    'около 1,5 км и более 2,3%',
    'около одной целой пяти десятых километра и более двух целых трех десятых процента',
  ],
  ['ru', 'от 1,1 до 21,5 метра', 'от одной целой одной десятой до двадцати одной целой пяти десятых метра'],
  ['ru', 'приблизился к 2,5 процентам', 'приблизился к двум целым пяти десятым процентам'],
  ['ru', 'к 5 мая 2024', 'к пятому мая две тысячи двадцать четвертого'],
  ['ru', 'с 1 по 5 мая 2024 года', 'с первого по пятое мая две тысячи двадцать четвертого года'],
  [
    'ru',
    '1 млн, 2 млн, 5 млн и 2,5 млн',
    'один миллион, два миллиона, пять миллионов и две целых пять десятых миллиона',
  ],
  ['ru', '21 тыс. человек', 'двадцать одна тысяча человек'],
  ['ru', 'до 5 млн рублей, около 2,5 млрд', 'до пяти миллионов рублей, около двух целых пяти десятых миллиарда'],
  [
    'pl',
    '1 mln zł, 2 mln, 5 mln, 2,5 mln',
    'jeden milion złotych, dwa miliony, pięć milionów, dwa przecinek pięć miliona',
  ],
  ['ru', 'в 5 странах с 3 друзьями', 'в пяти странах с тремя друзьями'],
  ['pl', 'w 1998 r. w Polsce', 'w tysiąc dziewięćset dziewięćdziesiątym ósmym roku w Polsce'],
  ['pl', 'w 2024 roku', 'w dwa tysiące dwudziestym czwartym roku'],
  ['pl', 'rok 1950', 'rok tysiąc dziewięćset pięćdziesiąty'],
  ['pl', '5 maja 1998 r. w Polsce', 'piątego maja tysiąc dziewięćset dziewięćdziesiątego ósmego roku w Polsce'],
  ['pl', 'od 10 do 20 osób', 'od dziesięciu do dwudziestu osób'],
  ['pl', 'około 5 km i do 50%', 'około pięciu kilometrów i do pięćdziesięciu procent'],
  ['pl', 'o godz. 10:30', 'o godzinie dziesiątej trzydzieści'],
  ['fi', '3:n ja 20:een', 'kolmen ja kahteenkymmeneen'],
  ['fi', '5 %:n nousu', 'viiden prosentin nousu'],
  ['fi', '10 vuoden jälkeen 5 maassa', 'kymmenen vuoden jälkeen viidessä maassa'],
  // Nothing shows it, or the gender is unknown: the nominative.
  ['ru', 'Их 25, в 10 часов и около 21 минуты', 'Их двадцать пять, в десять часов и около двадцать один минуты'],
  ['ru', '5 грамм и 20 программ', 'пять грамм и двадцать программ'],
  ['pl', 'Mam 5 kotów i ponad 20 psów', 'Mam pięć kotów i ponad dwadzieścia psów'],
  ['fi', 'Vuonna 1998 hän osti 5 kirjaa', 'Vuonna tuhatyhdeksänsataayhdeksänkymmentäkahdeksan hän osti viisi kirjaa'],
])('in %s: %s', (language, text, spoken) => {
  expect(verbalizeText(text, { language })).toBe(spoken);
});
