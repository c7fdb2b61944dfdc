/** How each class of tokens is spoken in English. */
import { describe, expect, it } from '@jest/globals';
import { verbalizeText } from '../../../support/verbalize.ts';

const cases: Readonly<Record<string, readonly (readonly [written: string, spoken: string])[]>> = {
  'cardinals, decimals and negatives': [
    [
      '10 000 people and 299 792 458',
      'ten thousand people and two hundred ninety-nine million seven hundred ninety-two thousand four hundred fifty-eight',
    ],
    [
      '1.234.567 and 1.250.000',
      'one million two hundred thirty-four thousand five hundred sixty-seven and one million two hundred fifty thousand',
    ],
    [
      "1'234'567 and 12,34,567",
      'one million two hundred thirty-four thousand five hundred sixty-seven and one million two hundred thirty-four thousand five hundred sixty-seven',
    ],
    [
      '1,234,567.89 or 1.234,50',
      'one million two hundred thirty-four thousand five hundred sixty-seven point eight nine or one thousand two hundred thirty-four point five zero',
    ],
    ['27,50 and 3,5', 'twenty-seven point five zero and three point five'],
    ['.5 and .1665', 'point five and point one six six five'],
    ['-5 or -3.2, +5 points', 'minus five or minus three point two, plus five points'],
    ['~50 people, 5+ years, 18+', 'about fifty people, five plus years, eighteen plus'],
    [
      '007 and 12345678901234567890',
      'zero zero seven and one two three four five six seven eight nine zero one two three four five six seven eight nine zero',
    ],
    ['3.5 million people', 'three point five million people'],
    ['I have 2 dogs. In 2019 300 people came.', 'I have two dogs. In twenty nineteen three hundred people came.'],
  ],
  ordinals: [
    ['1st 2nd 3rd 21ST 101st 1,000th', 'first second third twenty-first one hundred first one thousandth'],
    ['3rd-4th place', 'third to fourth place'],
    ['gate B21st', 'gate B twenty-one st'],
  ],
  'minutes of matches': [
    [
      "Kane 23', Saka 67' pen., 90+3'",
      'Kane twenty-third minute, Saka sixty-seventh minute pen., ninety plus three minutes',
    ],
    [
      "Messi (36', 108') in the 45+2' minute",
      'Messi (thirty-sixth minute, one hundred eighth minute) in the forty-five plus two minute',
    ],
    [
      "67' - Goal! He is 6'2\", a 6' fence.",
      'sixty-seventh minute - Goal! He is six feet two inches, a six foot fence.',
    ],
    ["the '8' key and 'page 23'", "the 'eight' key and 'page twenty-three'"],
    [
      'Rated PG-13 · 2h 15m · 2023 · 4K',
      'Rated PG thirteen · two hours fifteen minutes · twenty twenty-three · four K',
    ],
    ['Djokovic won 6-4, 6-3 in 2h 41m.', 'Djokovic won six to four, six to three in two hours forty-one minutes.'],
  ],
  'halves of the day': [['Mon-Fri 8a-6p, 9a to 5p', 'Monday to Friday eight AM to six PM, nine AM to five PM']],
  fractions: [
    ['1/2, 2/3, 3/4, 5/7, 12/37', 'one half, two thirds, three quarters, five sevenths, twelve over thirty-seven'],
    [
      '2½ and ¾, 2 1/2, 1-1/2 cups, -1/2',
      'two and a half and three quarters, two and a half, one and a half cups, minus one half',
    ],
    ['rated 4.5/5', 'rated four point five out of five'],
    ['24/7 and 50/50', 'twenty-four seven and fifty-fifty'],
  ],
  ranges: [
    ['10-20 people, 3–5 days, 5 - 10 km', 'ten to twenty people, three to five days, five to ten kilometers'],
    ['pp. 3-5', 'pages three to five'],
    ['won 3-2', 'won three to two'],
    ['5%-10%, 5-10%', 'five to ten percent, five to ten percent'],
    ['from $ 5 – $ 10 each', 'from five to ten dollars each'],
    ['See example.com/4821 now.', 'See example dot com slash four eight two one now.'],
  ],
  dates: [
    [
      'On Tuesday 12 May we met. Fri, 13 Oct',
      'On Tuesday, the twelfth of May we met. Friday, the thirteenth of October',
    ],
    [
      '2026-11-21, 2016/07/03, 11/21/2026, 21/11/2026, 11/17/05',
      'November twenty-first, twenty twenty-six, July third, twenty sixteen, November twenty-first, twenty twenty-six, November twenty-first, twenty twenty-six, November seventeenth, two thousand five',
    ],
    [
      '24.12.2025, 15.01.2020, 05.03.1998',
      'the twenty-fourth of December, twenty twenty-five, the fifteenth of January, twenty twenty, the fifth of March, nineteen ninety-eight',
    ],
    [
      'On the 4th of July, the 26th May, 21 November 2026',
      'On the fourth of July, the twenty-sixth of May, the twenty-first of November, twenty twenty-six',
    ],
    [
      'Jan 5-7, 2024 and May 5–June 2, 2023',
      'January fifth to seventh, twenty twenty-four and May fifth to June second, twenty twenty-three',
    ],
    [
      'july 25 2012, JULY 4, Sept. 11, 2001, Dec. 25th',
      'July twenty-fifth, twenty twelve, July fourth, September eleventh, two thousand one, December twenty-fifth',
    ],
    ['Mon, Jan 5 and Friday, 5 May 2023', 'Monday, January fifth and Friday, the fifth of May, twenty twenty-three'],
    ['in June 1905, Nov 2026', 'in June nineteen oh five, November twenty twenty-six'],
    ['you may 5 times march 3 miles', 'you may five times march three miles'],
    ['2024-05-01T10:30:00Z', 'May first, twenty twenty-four ten thirty Z'],
    ['They met on Jan. 2. He left.', 'They met on January second. He left.'],
    ['until 3/31, by 1/2, from 3/4 of it', 'until March thirty-first, by one half, from three quarters of it'],
  ],
  years: [
    [
      '(1999), The 1999 film, 1984, in 1066, 1984.',
      '(nineteen ninety-nine), The nineteen ninety-nine film, nineteen eighty-four, in ten sixty-six, nineteen eighty-four.',
    ],
    [
      '1939-45, 1990-1995, between 1914 and 1918',
      'nineteen thirty-nine to forty-five, nineteen ninety to nineteen ninety-five, between nineteen fourteen and nineteen eighteen',
    ],
    [
      'the 1998 elections, 1500 people, 1200 calories, 1024 bytes',
      'the nineteen ninety-eight elections, one thousand five hundred people, one thousand two hundred calories, one thousand twenty-four bytes',
    ],
    [
      '44 B.C. Caesar was killed. It was 44 B.C. He died.',
      'forty-four BC Caesar was killed. It was forty-four BC. He died.',
    ],
    ['By 2099 it was.', 'By twenty ninety-nine it was.'],
    ['A.D. 79, 79 AD, 500 BCE', 'AD seventy-nine, seventy-nine AD, five hundred BCE'],
    ["opened in '55, class of '99", 'opened in fifty-five, class of ninety-nine'],
    ['Room 1408, FY2024, Q3 2025', 'Room fourteen oh eight, FY twenty twenty-four, Q three twenty twenty-five'],
    ['x = 1999', 'x equals one thousand nine hundred ninety-nine'],
  ],
  decades: [
    [
      "the 1990s, the '80s, the 80s, 1980's, the 1900s, the 2000s, mid-1990s",
      'the nineteen nineties, the eighties, the eighties, nineteen eighties, the nineteen hundreds, the two thousands, mid nineteen nineties',
    ],
    ['1990s-2000s', 'nineteen nineties to two thousands'],
  ],
  times: [
    [
      '9:05 am, 12:30, 14:00, 9am, 3 PM, 12:00',
      "nine oh five AM, twelve thirty, fourteen o'clock, nine AM, three PM, twelve o'clock",
    ],
    [
      '9am-5pm, 9:00-17:00, 9-5pm, 8:30-10:00, 2:30pm-4:00pm',
      "nine AM to five PM, nine to seventeen o'clock, nine to five PM, eight thirty to ten o'clock, two thirty PM to four PM",
    ],
    [
      'at 0700 hours, by 1320 hrs. or at 0745; took 1320 hours; PIN 0745',
      'at zero seven hundred hours, by thirteen twenty hours or at zero seven forty-five; took one thousand three hundred twenty hours; PIN zero seven four five',
    ],
    [
      '0800–1700 hours, from 0930-1145',
      'zero eight hundred to seventeen hundred hours, from zero nine thirty to eleven forty-five',
    ],
    ['0.3 in (8 mm)', 'zero point three inches (eight millimeters)'],
    ['10:00:00 and 00:00:00 and 22:30:59', "ten o'clock and midnight and twenty-two thirty and fifty-nine seconds"],
    [
      '11:30EST, 11:58 p.m. PDT, 1.59 p.m. today',
      'eleven thirty EST, eleven fifty-eight PM PDT, one fifty-nine PM today',
    ],
    [
      '10 a.m. Eastern, 5 a.m. Mr. Smith, at 9 a.m. He left at 3pm.',
      'ten AM Eastern, five AM Mister Smith, at nine AM. He left at three PM.',
    ],
    [
      'Mon–Fri, UTC-5, John 3:16 and Psalm 23:1-6',
      'Monday to Friday, UTC minus five, John three sixteen and Psalm twenty-three one to six',
    ],
  ],
  durations: [
    [
      '1h30, 2h 5m 10s, 3m20s, 5 min 30 s',
      'one hour thirty minutes, two hours five minutes ten seconds, three minutes twenty seconds, five minutes thirty seconds',
    ],
    ['wait 30s', 'wait thirty seconds'],
  ],
  money: [
    [
      '50€, 20 $, 3.50€, 100 £, 100₽, 1000 ¥, 99¢, 50 ₹',
      'fifty euros, twenty dollars, three euros and fifty cents, one hundred pounds, one hundred rubles, one thousand yen, ninety-nine cents, fifty rupees',
    ],
    [
      '€50-60, $5-10, $50-$100, 5–10 €, $5-10 million',
      'fifty to sixty euros, five to ten dollars, fifty to one hundred dollars, five to ten euros, five to ten million dollars',
    ],
    [
      '€27,50 or 27,50 € or 2 € 50',
      'twenty-seven euros and fifty cents or twenty-seven euros and fifty cents or two euros and fifty cents',
    ],
    [
      'EUR 20, USD 5.00, CHF 20, 20 CHF, 500 kr, 20 USD',
      'twenty euros, five US dollars, twenty Swiss francs, twenty Swiss francs, five hundred kronor, twenty US dollars',
    ],
    [
      'A$5.50, C$ 5, HK$50, R$ 10, US$1, NZ$2.50',
      'five Australian dollars and fifty cents, five Canadian dollars, fifty Hong Kong dollars, ten Brazilian reais, one US dollar, two New Zealand dollars and fifty cents',
    ],
    ['Tea 3 € 2 biscuits', 'Tea three euros two biscuits'],
    ['-$5.00, -5 €, $-5, +$5', 'minus five dollars, minus five euros, minus five dollars, plus five dollars'],
    [
      '$1.5 million, $5M, €3bn, $5k, £5m',
      'one point five million dollars, five million dollars, three billion euros, five thousand dollars, five million pounds',
    ],
    ['$0.05, $1.01, £0.99, ¥1', 'five cents, one dollar and one cent, ninety-nine pence, one yen'],
    ['$20/mo, $15/hour, €3/kg', 'twenty dollars per month, fifteen dollars per hour, three euros per kilogram'],
    ['five $10 bills and 5 $10 bills', 'five ten dollar bills and five ten dollar bills'],
    ['20 TRY, TRY 3 times', 'twenty Turkish lira, TRY three times'],
    [
      'US$ 5, $5 USD, $.50, $5.00-$7.50, 50p, 1 234,56 €, 3.000 €',
      'five US dollars, five US dollars, fifty cents, five dollars to seven dollars and fifty cents, fifty pence, one thousand two hundred thirty-four euros and fifty-six cents, three thousand euros',
    ],
    [
      '₦5000, ₱100, ฿50, ₪20, ₴5, ₫10000, £1.2bn, Rs. 500, 3 BTC, RMB 50',
      'five thousand naira, one hundred pesos, fifty baht, twenty shekels, five hryvnias, ten thousand dong, one point two billion pounds, five hundred rupees, three bitcoins, fifty yuan',
    ],
  ],
  percent: [
    ['12.5%, 20 %, 0.5%, 5‰', 'twelve point five percent, twenty percent, zero point five percent, five per mille'],
  ],
  measures: [
    [
      '9.8 m/s², 5 km/s, 5 mg/L, 2 g/cm³, 10 MB/s, 100 Mbps, 5 GB/s',
      'nine point eight meters per second squared, five kilometers per second, five milligrams per liter, two grams per cubic centimeter, ten megabytes per second, one hundred megabits per second, five gigabytes per second',
    ],
    [
      '5 kPa, 3.5 cm², 2 cm³, 5 km³, 200 kcal, 5 μg, 100 ft², 12 gal, 3000 rpm, 60 fps',
      'five kilopascals, three point five square centimeters, two cubic centimeters, five cubic kilometers, two hundred kilocalories, five micrograms, one hundred square feet, twelve gallons, three thousand revolutions per minute, sixty frames per second',
    ],
    ['5 N, 10 J, 3 t, 5 ha, 16A', 'five newtons, ten joules, three tons, five hectares, sixteen amperes'],
    [
      `6'2", 5'10" tall, a 27" screen, 27" wide`,
      'six feet two inches, five feet ten inches tall, a twenty-seven inch screen, twenty-seven inches wide',
    ],
    ['2 lb. 4 oz. and 6 ft 2 in.', 'two pounds four ounces and six feet two inches.'],
    [
      '-5°C to 20 °C, 1°, 45°N',
      'minus five degrees Celsius to twenty degrees Celsius, one degree, forty-five degrees north',
    ],
    [
      '100 million kg, a 5 km run, a 10-km walk',
      'one hundred million kilograms, a five kilometer run, a ten kilometer walk',
    ],
    ['50 km/h–60 km/h, 1 km', 'fifty to sixty kilometers per hour, one kilometer'],
    ['5 in a row, Gate 5A', 'five in a row, Gate five A'],
    ['He said "I am 27".', 'He said "I am twenty-seven".'],
    ['3/4 tsp, 1 1/2 km', 'three quarters teaspoon, one and a half kilometers'],
  ],
  'dimensions and multipliers': [
    [
      '1920x1080, a 4x4 car, 10×20 cm, 10 x 20 x 30 cm',
      'nineteen twenty by ten eighty, a four by four car, ten by twenty centimeters, ten by twenty by thirty centimeters',
    ],
    ['4x, 10x faster, 1.5x, 3×', 'four times, ten times faster, one point five times, three times'],
    ['3 x 4 = 12', 'three times four equals twelve'],
    [
      '640×480, 3840x2160 px, 8.5" x 11"',
      'six forty by four eighty, thirty-eight forty by twenty-one sixty pixels, eight point five by eleven inches',
    ],
  ],
  ratios: [['3:2, 16:9, 1:100', 'three to two, sixteen to nine, one to one hundred']],
  telephone: [
    [
      '135-4567-8900, 555.123.4567, 555-123-4567, 555 123 4567',
      'one three five, four five six seven, eight nine zero zero, five five five, one two three, four five six seven, five five five, one two three, four five six seven, five five five, one two three, four five six seven',
    ],
    [
      '+49 30 123456, (030) 1234567, 020 7946 0958, 0171-2345678, 089/123456',
      'four nine, three zero, one two three four five six, zero three zero, one two three four five six seven, zero two zero, seven nine four six, zero nine five eight, zero one seven one, two three four five six seven eight, zero eight nine, one two three four five six',
    ],
    [
      '+1 555 123 4567, +1 (555) 123-4567, +44 20 7946 0958, +1(123) 123-5678',
      'one, five five five, one two three, four five six seven, one, five five five, one two three, four five six seven, four four, two zero, seven nine four six, zero nine five eight, one, one two three, one two three, five six seven eight',
    ],
    [
      '1.800.555.0199, 1-800-555-0199, (123)-123-5678, (555)555-5555',
      'one, eight zero zero, five five five, zero one nine nine, one, eight zero zero, five five five, zero one nine nine, one two three, one two three, five six seven eight, five five five, five five five, five five five five',
    ],
    ['867-5309, call 911, dial 112', 'eight six seven, five three zero nine, call nine one one, dial one one two'],
    [
      '212-5550199, 06.12.34.56.78, 00 49 30 123456, +442079460958, (0)20 7946 0958, +44 (0)20 7946 0958',
      'two one two, five five five zero one nine nine, zero six, one two, three four, five six, seven eight, zero zero, four nine, three zero, one two three four five six, four four two zero seven nine four six zero nine five eight, zero, two zero, seven nine four six, zero nine five eight, four four, zero, two zero, seven nine four six, zero nine five eight',
    ],
    [
      "1 (800) 555-0199, My number's 5551234567, Fax 030/12345678, ext. 5",
      "one eight zero zero, five five five, zero one nine nine, My number's five five five one two three four five six seven, Fax zero three zero, one two three four five six seven eight, extension five",
    ],
  ],
  identifiers: [
    ['My number is 13882366638', 'My number is one three eight eight two three six six six three eight'],
    [
      'Order 20251126001, order #20251126, Tracking number 4820193847',
      'Order two zero two five one one two six zero zero one, order number two zero two five one one two six, Tracking number four eight two zero one nine three eight four seven',
    ],
    [
      'Card 4111 1111 1111 1111, ISBN 978-3-16-148410-0, 123-45-6789',
      'Card four one one one, one one one one, one one one one, one one one one, ISBN nine seven eight, three, one six, one four eight four one zero, zero, one two three, four five, six seven eight nine',
    ],
    [
      'PIN 4821, code 482913, ZIP 90210, ID 100234567, account number 12345678',
      'PIN four eight two one, code four eight two nine one three, ZIP nine zero two one zero, ID one zero zero two three four five six seven, account number one two three four five six seven eight',
    ],
    ['Order 66, number 5, code 5', 'Order sixty-six, number five, code five'],
    [
      'PIN code 1234, password 12345, order #A1234, invoice 2024-0015, ISSN 1234-5678',
      'PIN code one two three four, password one two three four five, order number A one two three four, invoice two zero two four, zero zero one five, ISSN one two three four, five six seven eight',
    ],
    [
      'card ending in 4242, Beverly Hills, CA 90210, 90210-1234, IBAN DE89 3704 0044 0532 0130 00',
      'card ending in four two four two, Beverly Hills, CA nine zero two one zero, nine zero two one zero, one two three four, IBAN D E eight nine, three seven zero four, zero zero four four, zero five three two, zero one three zero, zero zero',
    ],
    ['Flight BA2490, Route 66, gate B12', 'Flight BA two four nine zero, Route sixty-six, gate B twelve'],
    [
      'F-16s and 747s, 1.5k followers, a 10K race',
      'F sixteens and seven hundred forty-sevens, one point five thousand followers, a ten K race',
    ],
  ],
  romans: [
    [
      'Chapter IV, World War II, World War I began, Phase III, Super Bowl LVIII',
      'Chapter four, World War two, World War one began, Phase three, Super Bowl fifty-eight',
    ],
    [
      'Henry VIII, Louis XIV, Elizabeth II, Pope John Paul II, King Charles I was executed',
      'Henry the eighth, Louis the fourteenth, Elizabeth the second, Pope John Paul the second, King Charles the first was executed',
    ],
    ['Act II, Scene IV', 'Act two, Scene four'],
    ['XIX century, the XXI century, MCMXCIX', 'nineteenth century, the twenty-first century, nineteen ninety-nine'],
    [
      'Charles I was told, I was there, CD and MIX, Malcolm X',
      'Charles I was told, I was there, CD and MIX, Malcolm X',
    ],
    [
      "(ii) the second, chapter ix, CHAPTER V, Henry VIII's wives, Louis the XIV",
      "(two) the second, chapter nine, chapter five, Henry the eighth's wives, Louis the fourteenth",
    ],
    [
      'WWII, Type II diabetes, Star Wars Episode IV, iPhone X, Windows XP',
      'World War two, Type two diabetes, Star Wars Episode four, iPhone X, Windows XP',
    ],
  ],
  mathematics: [
    [
      '2 + 2 = 4, 6 - 4 = 2, 8 ÷ 2, 3 × 4 = 12',
      'two plus two equals four, six minus four equals two, eight divided by two, three times four equals twelve',
    ],
    [
      'x ≈ 3, 5 ± 2, x ≥ 3, 5 ≤ 6, a ≠ b, √2, 5 < 6, x > 3',
      'x is approximately equal to three, five plus or minus two, x greater than or equal to three, five less than or equal to six, a is not equal to b, the square root of two, five less than six, x greater than three',
    ],
    [
      'y = 2x + 1, f(x) = x^2 + 3x - 5, n=5, p<0.05, ½ + ¼, 1.6e-19, C++17',
      'y equals two x plus one, f(x) equals x squared plus three x minus five, n equals five, p less than zero point zero five, one half plus one quarter, one point six times ten to the power of minus nineteen, C plus plus seventeen',
    ],
    [
      '10^6, x², 10⁻³, E = mc²',
      'ten to the power of six, x squared, ten to the power of minus three, E equals mc squared',
    ],
  ],
  versions: [
    ['v1.2.3 and 10.4.1, v2', 'version one point two point three and ten point four point one, version two'],
    [
      '192.168.1.1 and 192.168.1.1:8000',
      'one hundred ninety-two point one hundred sixty-eight point one point one and one hundred ninety-two point one hundred sixty-eight point one point one port eight thousand',
    ],
    [
      'Llama-3.1-8B, COVID-19, MP3, B2B, 4K, F-16',
      'Llama three point one eight B, COVID nineteen, MP three, B to B, four K, F sixteen',
    ],
  ],
  addresses: [
    [
      'example.com, brettspielversand.de, amazon.co.uk, my-site.net',
      'example dot com, brettspielversand dot de, amazon dot co dot uk, my dash site dot net',
    ],
    ['docs.python.org/3 and openai.com/blog.', 'docs dot python dot org slash three and openai dot com slash blog.'],
    ['https://example.com/a-b. Mail me@example.org!', 'example dot com slash a dash b. Mail me at example dot org!'],
    ['node.js and file.txt, end.The next', 'node.js and file.txt, end.The next'],
    ['#AI and #TextToSpeech by @openai_team', 'hashtag AI and hashtag Text To Speech by at openai team'],
  ],
  abbreviations: [
    [
      'Mr. Smith and Dr. Who, e.g. Paris, i.e. The, vs. Them, Approx. 5',
      'Mister Smith and Doctor Who, for example Paris, that is The, versus Them, Approximately five',
    ],
    ['etc. Then, etc. and so on', 'et cetera. Then, et cetera and so on'],
    ['He lives on Elm St. She left.', 'He lives on Elm Street. She left.'],
    ["St. Mary's on Baker St., London, at St. Louis", "Saint Mary's on Baker Street, London, at Saint Louis"],
    ['Rodeo Dr. near the sea, Dr. Who', 'Rodeo Drive near the sea, Doctor Who'],
    ['Sammy Davis Jr. Dr. Who', 'Sammy Davis Junior Doctor Who'],
    [
      '#7 and No. 5 and pp. 3-5, Fig. A. No. He said no.',
      'number seven and number five and pages three to five, figure A. No. He said no.',
    ],
    ['AT&T & R&D', 'AT and T and R and D'],
  ],
  'of news, code and chats': [
    ['about 3 × 10^8 m/s', 'about three times ten to the power of eight meters per second'],
    [
      'Version 2.0.1-beta.3, version v2.1.0',
      'Version two point zero point one beta three, version two point one point zero',
    ],
    ['rose 25 bps, 9600 bps', 'rose twenty-five basis points, nine thousand six hundred bits per second'],
    ['every 4–6 h', 'every four to six hours'],
    ['#AI2025, order #A1234', 'hashtag AI twenty twenty-five, order number A one two three four'],
    ['$5M+, 3.5M+ views', 'five million dollars plus, three point five million plus views'],
    ['€1.234,56, and 10/10', 'one thousand two hundred thirty-four euros and fifty-six cents, and ten out of ten'],
    ['the 2023/24 season', 'the twenty twenty-three to twenty-four season'],
  ],
  capitals: [
    ['THE BOY WHO LIVED', 'The boy who lived'],
    ['IT WAS THE BEST OF TIMES, it was', 'It was the best of times, it was'],
    ['CHAPTER ONE', 'Chapter one'],
    ['THE END', 'The end'],
    ['STOP RIGHT THERE!', 'Stop right there!'],
    ['NASA, BBC, USA and IBM', 'NASA, BBC, USA and IBM'],
    ['UNESCO, UNICEF, MIDI', 'UNESCO, UNICEF, MIDI'],
    ['DO NOT ENTER. NO PARKING.', 'Do not enter. No parking.'],
    ['CHAPTER IV: THE NASA ROCKET', 'Chapter four: The NASA rocket'],
  ],
  rates: [
    [
      'Give 5 mg/kg/day, 10 mg/kg/d or 60 mL/min/1.73 m².',
      'Give five milligrams per kilogram per day, ten milligrams per kilogram per day or sixty milliliters per minute per one point seven three square meters.',
    ],
    [
      'Open 7 days/wk; 5x/week or 2x/day; max 4 doses/24 h; 8:30/mi, 3/$10.',
      'Open seven days per week; five times per week or two times per day; max four doses per twenty-four hours; eight thirty per mile, three for ten dollars.',
    ],
    [
      'The tenant pays $1,200/mo. The gas is $3.49/gal.',
      'The tenant pays one thousand two hundred dollars per month. The gas is three dollars and forty-nine cents per gallon.',
    ],
    ['He/she and/or src/utils/user-service.ts, input/output', 'He/she and/or src/utils/user-service.ts, input/output'],
  ],
  'names of roads, houses and directions': [
    [
      'Take I-95 N, then US-101 S and Hwy 1. Turn onto I-80 W.',
      'Take I ninety-five north, then US one oh one south and Highway one. Turn onto I eighty west.',
    ],
    [
      '1600 Pennsylvania Ave, 45 W 34th St, New York; 4059 Mt Lee Dr.',
      'sixteen hundred Pennsylvania Avenue, forty-five West thirty-fourth Street, New York; forty fifty-nine Mt Lee Drive.',
    ],
    [
      'I live at 1425 Oak St., and she at 123 Main St Apt 4.',
      'I live at fourteen twenty-five Oak Street, and she at one twenty-three Main Street apartment four.',
    ],
    [
      'The quake struck 35 km NW of town, 5 mi E on US-50.',
      'The quake struck thirty-five kilometers northwest of town, five miles east on US fifty.',
    ],
  ],
  'models, versions and standards': [
    [
      'H.264, X.509, an RTX 4090, RFC 2616 and a Boeing 737-800',
      'H two sixty-four, X five oh nine, an RTX forty ninety, RFC twenty-six sixteen and a Boeing seven thirty-seven eight hundred',
    ],
    [
      'v1.0-rc2, v2.0.0-beta.1 and 1.0-rc2',
      'version one point zero rc two, version two point zero point zero beta one and one point zero rc two',
    ],
    [
      'An i7-9700K, plate ABC-1234, order ABC-2024',
      'An i seven ninety-seven hundred K, plate ABC one two three four, order ABC twenty twenty-four',
    ],
    [
      'C++, C++17, C#, 0xFF, CVE-2021-23337, 00:1A:2B:3C:4D:5E',
      'C plus plus, C plus plus seventeen, C sharp, hex F F, CVE twenty twenty-one, two three three three seven, zero zero, one A, two B, three C, four D, five E',
    ],
    [
      'Set timeout=30s && y != 3; p95 < 100ms, 1_000_000 rows',
      'Set timeout equals thirty seconds and y is not equal to three; p ninety-five less than one hundred milliseconds, one million rows',
    ],
  ],
  'months, quarters and weekdays': [
    [
      'Jan–Mar 2024, Open Jan-Mar only, Mar 3-5',
      'January to March twenty twenty-four, Open January to March only, March third to fifth',
    ],
    ["Q1-Q3 2023, Q4'22 and FY'23", 'Q one to Q three twenty twenty-three, Q four twenty-two and FY twenty-three'],
    [
      'Tue 3/4 at 2:30pm, Sat 10-2, closed Sun. It sat 3 hours.',
      'Tuesday March fourth at two thirty PM, Saturday ten to two, closed Sunday. It sat three hours.',
    ],
    [
      'M–F, 8:30; Sat & Sun; Mon. 12/4, 9a-12p, 7:30-8',
      "Monday to Friday, eight thirty; Saturday and Sunday; Monday December fourth, nine AM to twelve PM, seven thirty to eight o'clock",
    ],
    [
      'Valid thru 12/24, ships 11/28, the 5th c. BCE',
      'Valid thru December twenty-fourth, ships November twenty-eighth, the fifth century BCE',
    ],
  ],
  'measures by hand': [
    [
      'A 5\'10" man and the 5\'2" actress; he is 6\'1" tall.',
      'A five foot ten man and the five foot two actress; he is six feet one inch tall.',
    ],
    [
      "A 12' x 15' room with 8' ceilings; the '8' key",
      "A twelve by fifteen feet room with eight feet ceilings; the 'eight' key",
    ],
    [
      '1/4" screws, 3/8-in. plywood, 2x4s, 1½ tbsp. vanilla, ¾ c. sugar',
      'one quarter inch screws, three eighths inch plywood, two by fours, one and a half tablespoons vanilla, three quarters cup sugar',
    ],
    [
      'Simmer 1–1½ hrs, 1½–2 cups, 1/4-1/2 tsp',
      'Simmer one to one and a half hours, one and a half to two cups, one quarter to one half teaspoon',
    ],
    [
      '120/80 mmHg, 125 mcg, 4.2 ly, 195 lb-ft, 180 hp, exit 164A',
      'one hundred twenty over eighty millimeters of mercury, one hundred twenty-five micrograms, four point two light years, one hundred ninety-five foot-pounds, one hundred eighty horsepower, exit one hundred sixty-four A',
    ],
    [
      '75F outside, seat 12F, 103.5F',
      'seventy-five degrees Fahrenheit outside, seat twelve F, one hundred three point five degrees Fahrenheit',
    ],
  ],
  'money and numbers in prose': [
    [
      '$2.99 ea., $950 + utilities, 6 PM @ home, 4.8★ rating',
      'two dollars and ninety-nine cents each, nine hundred fifty dollars plus utilities, six PM at home, four point eight stars rating',
    ],
    [
      'A 10-year, $100M deal; ~50M people; 100s of 1000s',
      'A ten-year, one hundred million dollar deal; about fifty million people; hundreds of thousands',
    ],
    [
      '401(k) and 403(b); 1:27.097, 39:05, a record of 10-6-1',
      'four oh one K and four oh three B; one twenty-seven point zero nine seven, thirty-nine oh five, a record of ten six one',
    ],
  ],
  'telephones and codes': [
    [
      'Call 911 (US); 410 U.S. 113 (1973); text HELP to 55555',
      'Call nine one one (US); four hundred ten U.S. one hundred thirteen (nineteen seventy-three); text HELP to five five five five five',
    ],
    [
      'Your code is 493-221. Press *67, then #. ID: 123 456 789#',
      'Your code is four nine three, two two one. Press star six seven, then pound. ID: one two three, four five six, seven eight nine pound',
    ],
  ],
  'dashes, subscripts and notes': [
    [
      'Open 9 a.m.–5 p.m., Mon-Fri, Monday – Friday, Jan 2023 – Mar 2024, Jan 5-Feb 12',
      'Open nine AM to five PM, Monday to Friday, Monday to Friday, January twenty twenty-three to March twenty twenty-four, January fifth to February twelfth',
    ],
    ['H₂O, CO₂, x₁, word², sin²', 'H two O, CO two, x one, word, sin squared'],
    ['use *args and **kwargs, press * or #', 'use *args and **kwargs, press star or pound'],
  ],
  'Greek letters, bits and saints': [
    ['θ = 90°, ΔT, the α and β of μ, παρά', 'theta equals ninety degrees, delta T, the alpha and beta of mu, παρά'],
    [
      "St Paul's, Wall St bankers, 1/100th, Jan'20, a V8, v2, 1s and 0s, 10**6, ∛8",
      "Saint Paul's, Wall Street bankers, one one hundredth, January twenty twenty, a V eight, version two, ones and zeros, ten to the power of six, the cube root of eight",
    ],
  ],
};

describe.each(Object.entries(cases))('%s', (_class, table) => {
  it.each(table)('%s', (written, spoken) => {
    expect(verbalizeText(written, { language: 'en' })).toBe(spoken);
  });
});
