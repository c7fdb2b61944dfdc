/** Ways of spending work that grows with the size or with its square, for the tests of the counting. */
const range = (size: number): number[] => Array.from({ length: size }, (_, index) => index);

export const linear: Record<string, (size: number) => unknown> = {
  loop: (size) => {
    let sum = 0;
    for (let index = 0; index < size; index += 1) sum += index;
    return sum;
  },
  callbacks: (size) => range(size).map((value) => value + 1),
  matches: (size) => 'ab '.repeat(size).replace(/\w+/g, 'x'),
  'sticky matches': (size) => {
    const text = 'a'.repeat(size);
    const pattern = /b|a/y;
    while (pattern.test(text));
  },
  'a generator': async (size) => {
    for await (const _ of wait(size));
  },
};

async function* wait(size: number): AsyncGenerator<number> {
  for (let index = 0; index < size; index += 1) yield index;
}

class Sums {
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  *#all(): Generator<number> {
    let sum = 0;
    while (sum < this.#size) yield sum++;
  }

  get last(): number | undefined {
    let last: number | undefined;
    for (const sum of this.#all()) last = sum;
    return last;
  }
}

export const quadratic: Record<string, (size: number) => unknown> = {
  loops: (size) => {
    let sum = 0;
    for (let index = 0; index < size; index += 1) for (let other = index; other < size; other += 1) sum += other;
    return sum;
  },
  'do and while': (size) => {
    let left = size;
    do for (let more = size; more > 0; ) more -= 1;
    while (--left > 0);
  },
  'methods and generators': (size) => {
    const sums = new Sums(size);
    return range(size).map(() => sums.last);
  },
  'callbacks of callbacks': (size) => range(size).filter((value) => range(size).some((other) => other > value)),
  'searches from each place': (size) => {
    const text = 'a'.repeat(size);
    return range(size).map((at) => text.slice(at).search(/b/));
  },
  'substrings sought': (size) => {
    const text = 'a'.repeat(size);
    return range(size).map((at) => text.slice(at).includes('b'));
  },
  'a copy of the array for each element': (size) => {
    let values: number[] = [];
    for (let index = 0; index < size; index += 1) values = [...values, index];
    return values;
  },
  'elements removed at the start': (size) => {
    const values = range(size);
    while (values.length > 0) values.shift();
  },
};
