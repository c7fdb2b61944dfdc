/** Sentences with numbers and names of every class, from grammars of our own; the same each time. */

export interface Sample {
  readonly kind: string;
  readonly text: string;
}

/** Numbers from 0 up to a bound, by mulberry32. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

type Token = (random: Random) => string;
interface Random {
  readonly below: (bound: number) => number;
  readonly from: (first: number, last: number) => number;
  readonly one: <Item>(items: readonly Item[]) => Item;
  readonly digits: (count: number) => string;
}

function randomOf(seed: number): Random {
  const below = createRandom(seed);
  return {
    below,
    from: (first, last) => first + below(last - first + 1),
    one: (items) => items[below(items.length)] as (typeof items)[number],
    digits: (count) => Array.from({ length: count }, () => below(10)).join(''),
  };
}

const grouped = (number: number): string => number.toLocaleString('en-US');
const two = (number: number): string => String(number).padStart(2, '0');
const monthNames = 'January February March April May June July August September October November December'.split(' ');

interface Grammar {
  readonly tokens: readonly Token[];
  /** Sentences, with `@` where the token is. */
  readonly frames: readonly string[];
}

const english: Readonly<Record<string, Grammar>> = {
  cardinal: {
    tokens: [
      ({ from }) => String(from(2, 999)),
      ({ from }) => grouped(from(1000, 9_999_999)),
      ({ from }) => `-${from(1, 99)}`,
    ],
    frames: ['We counted @ birds.', 'There are @ books in the library.', 'The value was @ yesterday.'],
  },
  decimal: {
    tokens: [
      ({ from, digits }) => `${from(0, 99)}.${digits(2)}`,
      ({ from, below }) => `${from(1, 9)}.${below(10)} million`,
    ],
    frames: ['The average is @ points.', 'It grew to @ people.'],
  },
  ordinal: {
    tokens: [
      ({ from }) => {
        const n = from(1, 130);
        return `${n}${n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;
      },
    ],
    frames: ['She came in @ place.', 'It is the @ time.'],
  },
  fraction: {
    tokens: [
      ({ one }) => one(['1/2', '1/3', '2/3', '3/4', '5/8', '7/9', '3/10']),
      ({ from, one }) => `${from(1, 9)} ${one(['1/2', '3/4', '2/3'])}`,
    ],
    frames: ['Add @ cups of sugar.', 'About @ of the people left.'],
  },
  date: {
    tokens: [
      ({ one, from }) => `${one(monthNames)} ${from(1, 28)}, ${from(1801, 2030)}`,
      ({ one, from }) => `${from(1, 28)} ${one(monthNames)} ${from(1801, 2030)}`,
      ({ from }) => `${from(1901, 2030)}-${two(from(1, 12))}-${two(from(1, 28))}`,
      ({ from }) => `${from(1, 12)}/${from(13, 28)}/${from(1990, 2030)}`,
      ({ one, from }) => `${one(['Jan.', 'Feb.', 'Aug.', 'Sept.', 'Oct.', 'Dec.'])} ${from(1, 28)}`,
      ({ one, from }) => `${one(monthNames)} ${from(1901, 2030)}`,
    ],
    frames: ['They met on @.', 'The contract of @ is valid.'],
  },
  year: {
    tokens: [
      ({ from }) => String(from(1101, 1999)),
      ({ from }) => String(from(2010, 2099)),
      ({ from }) => `the ${from(190, 199)}0s`,
    ],
    frames: ['He was born in @.', 'It has been there since @.'],
  },
  time: {
    tokens: [
      ({ from }) => `${from(1, 12)}:${two(from(1, 59))}`,
      ({ from, one }) => `${from(1, 12)}:${two(from(0, 59))} ${one(['am', 'pm', 'a.m.', 'p.m.'])}`,
      ({ from, one }) => `${from(1, 12)} ${one(['am', 'pm'])}`,
      ({ from }) => `${from(13, 23)}:${two(from(10, 59))}`,
    ],
    frames: ['The train leaves at @ today.', 'Lunch is at @ on Sunday.'],
  },
  money: {
    tokens: [
      ({ from }) => `$${from(2, 999)}`,
      ({ from, digits }) => `$${from(1, 99)}.${digits(2)}`,
      ({ from, one }) => `${one(['€', '£'])}${from(2, 500)}`,
      ({ from, one, below }) => `$${from(1, 9)}.${below(10)} ${one(['million', 'billion'])}`,
      ({ from, one }) => `${one(['€', '£', '$'])}${grouped(from(1000, 99_999))}`,
    ],
    frames: ['The ticket costs @ today.', 'They paid @ for it.'],
  },
  percent: {
    tokens: [({ from }) => `${from(1, 100)}%`, ({ from, below }) => `${from(1, 99)}.${below(10)}%`],
    frames: ['Sales rose by @ in June.', 'Only @ of them voted.'],
  },
  measure: {
    tokens: [
      ({ from, one }) =>
        `${from(2, 300)} ${one(['km', 'cm', 'kg', 'mg', 'mph', 'km/h', 'ft', 'lbs', 'oz', 'GB', 'MB', 'kHz', 'kW', 'ml'])}`,
      ({ from, one, below }) => `${from(1, 90)}.${below(10)} ${one(['km', 'm', 'kg', 'GHz'])}`,
      ({ from, one }) => `${from(-20, 40)}°${one(['C', 'F'])}`,
      ({ from, one }) => `${from(2, 90)} ${one(['m²', 'km²', 'm³'])}`,
    ],
    frames: ['The box has @ in all.', 'We measured @ at noon.'],
  },
  range: {
    tokens: [({ from }) => `${from(2, 40)}-${from(41, 90)}`, ({ from }) => `${from(1801, 1899)}-${from(1900, 1999)}`],
    frames: ['Read pages @ today.', 'It took place in @ or so.'],
  },
  telephone: {
    tokens: [
      ({ digits, from }) => `${from(201, 989)}-${from(201, 989)}-${digits(4)}`,
      ({ digits, from }) => `(${from(201, 989)}) ${from(201, 989)}-${digits(4)}`,
      ({ digits, from }) => `+1 ${from(201, 989)}-${from(201, 989)}-${digits(4)}`,
    ],
    frames: ['Call me at @ tonight.', 'My number is @.'],
  },
  electronic: {
    tokens: [
      ({ one }) => `${one(['anna', 'john.doe', 'info'])}@${one(['example', 'mail'])}.${one(['com', 'org'])}`,
      ({ one }) => `www.${one(['example', 'open'])}.${one(['com', 'org', 'net'])}`,
    ],
    frames: ['Write to @ today.', 'See @ for more.'],
  },
  roman: {
    tokens: [
      ({ one }) => `Chapter ${one(['II', 'IV', 'VII', 'XII'])}`,
      ({ one }) => one(['King Henry VIII', 'Queen Elizabeth II', 'Louis XIV', 'Pope Pius IX']),
      ({ one }) => one(['World War II', 'Super Bowl XLV', 'Act III', 'Part IV']),
    ],
    frames: ['We talked about @ in class.', 'He wrote about @ again.'],
  },
  abbreviation: {
    tokens: [
      ({ one }) => `${one(['Mr.', 'Mrs.', 'Dr.', 'Prof.', 'Gen.', 'Capt.'])} ${one(['Smith', 'Brown', 'Lee'])}`,
      ({ one }) => one(['tea, coffee, etc.', 'red vs. blue']),
    ],
    frames: ['We talked with @ about it.', 'I asked @ yesterday.'],
  },
  mathematics: {
    tokens: [
      ({ from }) => `${from(2, 9)} + ${from(2, 9)} = ${from(4, 18)}`,
      ({ from }) => `${from(2, 9)} × ${from(2, 9)}`,
    ],
    frames: ['The pupil wrote @ here.'],
  },
};

const chinese: Readonly<Record<string, Grammar>> = {
  cardinal: {
    tokens: [
      ({ from }) => String(from(3, 999)),
      ({ from }) => String(from(1100, 99_999)),
      ({ from }) => grouped(from(10_000, 9_999_999)),
      ({ from }) => `${from(2, 90)}万`,
    ],
    frames: ['一共有@人。', '图书馆里有@本书。', '这个城市有@个家庭。'],
  },
  decimal: {
    tokens: [({ from, digits }) => `${from(0, 99)}.${digits(2)}`, ({ from, below }) => `${from(3, 99)}.${below(10)}万`],
    frames: ['平均分是@分。', '增长到@人。'],
  },
  fraction: { tokens: [({ one }) => one(['1/2', '1/3', '2/3', '3/4', '5/8'])], frames: ['大约@的人离开了。'] },
  date: {
    tokens: [
      ({ from }) => `${from(1901, 2030)}年${from(1, 12)}月${from(1, 28)}日`,
      ({ from }) => `${from(1990, 2030)}-${two(from(1, 12))}-${two(from(1, 28))}`,
      ({ from }) => `${from(1990, 2030)}/${from(1, 12)}/${from(1, 28)}`,
      ({ from }) => `${from(1, 12)}月${from(1, 28)}日`,
      ({ from }) => `${from(1950, 2030)}年`,
    ],
    frames: ['他们在@见面。', '合同从@开始生效。'],
  },
  time: {
    tokens: [
      ({ from }) => `${from(3, 23)}:${two(from(1, 59))}`,
      ({ from }) => `${from(3, 12)}:${two(from(1, 59))}-${from(13, 23)}:${two(from(1, 59))}`,
    ],
    frames: ['会议在@开始。', '营业时间是@。'],
  },
  money: {
    tokens: [
      ({ from }) => `¥${from(3, 999)}`,
      ({ from, below }) => `${from(3, 99)}.${from(1, 9)}${below(10)}元`,
      ({ from, one }) => `${one(['$', '€', '£'])}${from(3, 900)}`,
      ({ from }) => `${from(3, 90)}美元`,
    ],
    frames: ['这本书要@。', '他付了@买票。'],
  },
  percent: {
    tokens: [
      ({ from }) => `${from(1, 99)}%`,
      ({ from, below }) => `${from(1, 99)}.${below(10)}%`,
      ({ from }) => `${from(1, 40)}%-${from(41, 99)}%`,
    ],
    frames: ['销量增长了@。', '只有@的人投票。'],
  },
  measure: {
    tokens: [
      ({ from, one }) => `${from(3, 300)}${one(['km', 'kg', 'cm', 'mm', 'm', 'g', '°C', 'm²', 'ml', 'kW'])}`,
      ({ from }) => `-${from(3, 30)}°C`,
    ],
    frames: ['测量结果是@。', '大约有@左右。'],
  },
  range: {
    tokens: [({ from }) => `${from(3, 40)}-${from(41, 90)}`, ({ from }) => `${from(3, 9)}~${from(10, 19)}`],
    frames: ['需要@天。', '大约有@个人。'],
  },
  telephone: {
    tokens: [({ digits }) => `13${digits(9)}`, ({ digits, from }) => `010-${from(6, 8)}${digits(7)}`],
    frames: ['我的电话是@。', '请拨打@联系我们。'],
  },
  year: { tokens: [({ one }) => one(['80后', '90后', '00后'])], frames: ['他是@。'] },
  score: { tokens: [({ from }) => `${from(3, 9)}:${from(0, 2)}`], frames: ['比分是@。'] },
  mathematics: {
    tokens: [
      ({ from }) => `${from(3, 9)}+${from(3, 9)}=${from(6, 18)}`,
      ({ from }) => `${from(6, 9)}-${from(3, 5)}=${from(1, 6)}`,
    ],
    frames: ['老师写了@。'],
  },
};

/** So many samples of each class. */
function samplesOf(grammars: Readonly<Record<string, Grammar>>, each: number, seed: number): readonly Sample[] {
  const random = randomOf(seed);
  return Object.entries(grammars).flatMap(([kind, { tokens, frames }]) => {
    const texts = new Set<string>();
    for (let count = 0; count < each; count += 1) {
      const token = tokens[count % tokens.length] as Token;
      texts.add(random.one(frames).replace('@', () => token(random)));
    }
    return [...texts].map((text) => ({ kind, text }));
  });
}

export const englishSamples = (each: number): readonly Sample[] => samplesOf(english, each, 1);
export const chineseSamples = (each: number): readonly Sample[] => samplesOf(chinese, each, 2);
