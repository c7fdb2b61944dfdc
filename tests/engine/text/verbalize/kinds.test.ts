/** Kinds of tokens that were once misread, in several languages each. */
import { expect, it } from '@jest/globals';
import { verbalizeText } from '../../../support/verbalize.ts';

it.each([
  // The period behind a magnitude is that of the sentence.
  ['en', 'It cost €2.5 million. Then she left.', 'It cost two point five million euros. Then she left.'],
  ['en', 'It took 3 thousand.', 'It took three thousand.'],
  ['de', 'Es waren 3 Milliarden. Dann kam er.', 'Es waren drei Milliarden. Dann kam er.'],
  ['de', 'Es sind 3 Mio. Euro da.', 'Es sind drei Millionen Euro da.'],
  ['fr', 'Il a 3 millions. Puis il part.', 'Il a trois millions. Puis il part.'],
  ['ru', 'Было 3 млн. Потом он ушёл.', 'Было три миллиона. Потом он ушёл.'],
  // Four groups of three digits are an amount, four bytes a machine.
  ['de', '2.000.000.000 Euro', 'zwei Milliarden Euro'],
  ['it', '2.000.000.000 di euro', 'due miliardi di euro'],
  [
    'es',
    '1.234.567.890 personas',
    'mil doscientos treinta y cuatro millones quinientos sesenta y siete mil ochocientas noventa personas',
  ],
  ['de', 'Server 192.168.0.10', 'Server einhundertzweiundneunzig Punkt einhundertachtundsechzig Punkt null Punkt zehn'],
  ['pt', 'IP 10.0.0.1', 'IP dez ponto zero ponto zero ponto um'],
  ['sv', 'IP 10.0.0.1', 'IP tio punkt noll punkt noll punkt ett'],
  // Decades.
  [
    'ru',
    'В 1990-х годах, 80-х, 2000-х, 1960-е, к 1970-м годам',
    'В тысяча девятьсот девяностых годах, восьмидесятых, двухтысячных, тысяча девятьсот шестидесятые, к тысяча девятьсот семидесятым годам',
  ],
  [
    'sv',
    '2020-talet, på 1800-talet, 60- och 70-talen',
    'tjugohundratjugotalet, på artonhundratalet, sextio- och sjuttiotalen',
  ],
  ['nb', '1990-tallet', 'nittennittitallet'],
  ['da', "1990'erne", 'nittenhalvfemserne'],
  ['de', 'die 1990er Jahre, in den 90ern', 'die neunzehnhundertneunziger Jahre, in den neunzigern'],
  ['fi', '1990-luvulla', 'tuhatyhdeksänsataayhdeksänkymmentäluvulla'],
  ['fr', 'années 80s', 'années quatre-vingts'],
  ['es', 'los 80s', 'los ochenta'],
  ['it', "gli anni '80", 'gli anni ottanta'],
  ['nl', "jaren '90", 'jaren negentig'],
  ['pl', 'lata 80. i w latach 90. było', 'lata osiemdziesiąte i w latach dziewięćdziesiątych było'],
  // Days and months.
  ['vi', 'ngày 14/4, từ 2/9 đến 5/9', 'ngày mười bốn tháng bốn, từ hai tháng chín đến năm tháng chín'],
  ['fr', 'les 17/18 juin, le 14/7', 'les dix-sept à dix-huit juin, le quatorze juillet'],
  [
    'ru',
    '6/3/1006г. и 01-01-86',
    'шестого марта тысяча шестого года и первого января тысяча девятьсот восемьдесят шестого',
  ],
  [
    'en',
    '11/28-12/2, 1/4-1/2 cup, Jan-15-2020, August 3d, 1833',
    'November twenty-eighth to December second, one quarter to one half cup, January fifteenth, twenty twenty, August third, eighteen thirty-three',
  ],
  [
    'en',
    "2Q22, 1H23, 08/2008, 2010's 308.7M, the 1990's",
    "second quarter twenty twenty-two, first half twenty twenty-three, August two thousand eight, twenty ten's three hundred eight point seven million, the nineteen nineties",
  ],
  // Parts of a whole.
  [
    'de',
    '1 1/2 Liter, 1/5 der Leute, 3/8, 2/7, 5/20',
    'eineinhalb Liter, ein Fünftel der Leute, drei Achtel, zwei Siebtel, fünf Zwanzigstel',
  ],
  ['fr', '1/5 de la population, 3/10', 'un cinquième de la population, trois dixièmes'],
  ['pt', '1/5 da população, 3/12', 'um quinto da população, três doze avos'],
  ['es', '1/5 de la población, 3/12', 'un quinto de la población, tres doceavos'],
  ['it', '2/5 della popolazione', 'due quinti della popolazione'],
  ['nl', '1/5 deel', 'een vijfde deel'],
  ['sv', '2/5 av, 3/8', 'två femtedelar av, tre åttondelar'],
  ['da', '2/5', 'to femtedele'],
  ['nb', '2/5', 'to femtedeler'],
  ['fi', '2/5', 'kaksi viidesosaa'],
  ['ru', '1/5 часть, 2/5, 3/4', 'одна пятая часть, две пятых, три четверти'],
  ['pl', '1/5, 3/5, 5/8', 'jedna piąta, trzy piąte, pięć ósmych'],
  ['tr', '1/5, 3/4', 'beşte bir, dörtte üç'],
  ['el', '2/5', 'δύο πέμπτα'],
  ['ar', '1 و 1/2, 1/3, 2/3, 3/4', 'واحد ونصف, ثلث, ثلثان, ثلاثة أرباع'],
  ['ko', '1과1/2', '일과 이 분의 일'],
  ['en', '3 5/2, 1/4TH', 'three and five halves, one quarter'],
  // Amounts of money below one, and millions.
  ['pt', 'R$ 0,75, €0,20, $ 1000000', 'setenta e cinco centavos, vinte cêntimos, um milhão de dólares'],
  ['de', '0,20 €, 0,01 €', 'zwanzig Cent, ein Cent'],
  ['fr', '0,75 €, 1 000 000 €', "soixante-quinze centimes, un million d'euros"],
  ['es', '0,50 €, 1.000.000 €', 'cincuenta céntimos, un millón de euros'],
  ['it', '0,50 €', 'cinquanta centesimi'],
  ['nl', '€ 0,50', 'vijftig cent'],
  ['sv', '0,50 kr', 'femtio öre'],
  ['ru', '0,50 ₽, 0,21 ₽, 0,02 ₽', 'пятьдесят копеек, двадцать одна копейка, две копейки'],
  ['pl', '0,50 zł, 0,02 zł', 'pięćdziesiąt groszy, dwa grosze'],
  ['tr', '0,50 TL', 'elli kuruş'],
  ['ar', '$0.99', 'تسعة وتسعون سنت'],
  // Networks.
  [
    'en',
    '192.168.0.1/24',
    'one hundred ninety-two point one hundred sixty-eight point zero point one slash twenty-four',
  ],
  [
    'de',
    '192.168.0.1/24, 10.0.0.1:80',
    'einhundertzweiundneunzig Punkt einhundertachtundsechzig Punkt null Punkt eins Schrägstrich vierundzwanzig, zehn Punkt null Punkt null Punkt eins, achtzig',
  ],
  // Numbers of Arabic, Hebrew, Korean, Japanese and Hindi.
  ['ar', '300, 800, 11, 311', 'ثلاثمائة, ثمانمائة, أحد عشر, ثلاثمائة وأحد عشر'],
  ['he', '120, 135, 112, 500', 'מאה ועשרים, מאה שלושים וחמש, מאה ושתים עשרה, חמש מאות'],
  ['ko', '8월20일~25일, 10시~12시', '팔월이십일에서 이십오일, 열 시에서 열두 시'],
  ['ja', '7月〜8月, 3時〜5時', '七月から八月, 三時から五時'],
  ['hi', '32A, 2nd, १ली, 5वां, २रा', 'बत्तीस A, दूसरा, पहली, पाँचवां, दूसरा'],
  // Letters behind numbers.
  [
    'vi',
    '100k, 10tr, 5tr5, 220v, 04h, 30p, 2h30p, thế kỷ XX',
    'một trăm nghìn, mười triệu, năm triệu rưỡi, hai trăm hai mươi vôn, bốn giờ, ba mươi phút, hai giờ ba mươi phút, thế kỷ hai mươi',
  ],
  [
    'es',
    '28º, 3º piso, 15 h 10 min, temperatura de 28º',
    'vigésimo octavo, tercer piso, quince horas diez minutos, temperatura de veintiocho grados',
  ],
  // Abbreviations.
  ['it', 'avv. Rossi, sig.na Bianchi, p.za Garibaldi', 'avvocato Rossi, signorina Bianchi, piazza Garibaldi'],
  ['sv', 'kl 3 e.m. då', 'klockan tre på eftermiddagen då'],
  ['fr', 'Mᵐᵉ Dupont, Mˡˡᵉ Durand, Dʳ Martin', 'Madame Dupont, Mademoiselle Durand, Docteur Martin'],
  [
    'en',
    'on hwy 61, the Expy, S 1st st, Springfield, IL, 62704',
    'on highway sixty-one, the Expressway, South first street, Springfield, IL, six two seven zero four',
  ],
  [
    'en',
    '1-800-GO-U-HAUL, 3 mbps, 22d Regiment, 3d Cavalry, in 3d',
    'one, eight zero zero-go-u-haul, three megabits per second, twenty-second Regiment, third Cavalry, in three d',
  ],
  // Chinese.
  ['zh', '10000', '一万'],
  ['zh', 'B2B和O2O', 'B to B和O to O'],
  ['zh', '2934ad', '公元二九三四年'],
  ['zh', '12/2/2', '一二年二月二日'],
  ['zh', '13:10pm', '十三点十分'],
  ['zh', '-百分之1', '负百分之一'],
  ['zh', '08/2008', '二零零八年八月'],
  ['zh', '比分1-2', '比分一比二'],
  ['zh', '12345678901和13912345678', '一百二十三亿四千五百六十七万八千九百零一和幺三九，幺二三四，五六七八'],
  // One or another, from one to another, per one and another.
  [
    'en',
    'Windows 10/11, iOS 17/18, Python 3.11/3.12, PS4/PS5, Level 2/3',
    'Windows ten or eleven, iOS seventeen or eighteen, Python three point one one or three point one two, PS four or PS five, Level two or three',
  ],
  [
    'en',
    '350°F/180°C, 5 km/3 mi, 240V/50Hz, add 2/3 cup',
    'three hundred fifty degrees Fahrenheit or one hundred eighty degrees Celsius, five kilometers or three miles, two hundred forty volts/fifty hertz, add two thirds cup',
  ],
  [
    'de',
    '350 °F/180 °C, Windows 10/11',
    'dreihundertfünfzig Grad Fahrenheit oder einhundertachtzig Grad Celsius, Windows zehn oder elf',
  ],
  ['zh', 'Windows 10/11', 'Windows 十或十一'],
  ['ja', 'Windows 10/11', 'Windows 十または十一'],
  [
    'en',
    '3.11 -> 3.12, 120ms -> 85ms, $5 -> $6, v1.2 -> v1.3',
    'three point one one to three point one two, one hundred twenty milliseconds to eighty-five milliseconds, five dollars to six dollars, version one point two to version one point three',
  ],
  ['de', '10 kg -> 8 kg', 'zehn Kilogramm bis acht Kilogramm'],
  [
    'en',
    '€25/user/mo, $5/GB, £3/person/day',
    'twenty-five euros per user per month, five dollars per gigabyte, three pounds per person per day',
  ],
  ['de', '€25/Nutzer/Monat', 'fünfundzwanzig Euro pro Nutzer pro Monat'],
  ['en', '1) First 2) Second (see 3) and (1) Third', 'one, First two, Second (see three) and (one) Third'],
  ['ko', '2와1/3', '이와 삼 분의 일'],
  [
    'en',
    '2019 -> 2024, 500 ml/16 fl oz',
    'twenty nineteen to twenty twenty-four, five hundred milliliters or sixteen fluid ounces',
  ],
  ['es', '2.000.000 de euros, 22º aniversario', 'dos millones de euros, vigésimo segundo aniversario'],
])('%s: %s', (language, text, spoken) => expect(verbalizeText(text, { language })).toBe(spoken));
