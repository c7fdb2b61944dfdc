// biome-ignore lint/suspicious/noExplicitAny: any method of any object.
type Method = (this: any, ...values: any[]) => any;
/** Characters or elements that a call goes through. */
type Cost = (self: { readonly length: number }, result: unknown, values: readonly unknown[]) => number;

const all: Cost = ({ length }) => length;
const copied: Cost = (_, result) => (result as readonly unknown[]).length;
/** Up to what is found; to the end if it is not. */
const searched: Cost = ({ length }, result, [, from = 0]) =>
  1 + Math.abs((result === -1 ? length : Number(result)) - Number(from));

const costs: readonly (readonly [prototype: object, names: readonly PropertyKey[], cost: Cost])[] = [
  [String.prototype, ['includes', 'normalize', 'split', 'toLowerCase', 'toUpperCase', 'trim'], all],
  [String.prototype, ['indexOf'], searched],
  // A spread and `for…of` call the last one.
  [Array.prototype, ['includes', 'join', 'reverse', 'shift', 'sort', 'splice', 'unshift', Symbol.iterator], all],
  [Array.prototype, ['concat', 'flat', 'slice'], copied],
  [Array.prototype, ['indexOf'], searched],
];

/** Such an expression fails where it begins; how far it goes from there is unknown. */
const isAnchored = ({ source, sticky, multiline }: RegExp): boolean => sticky || (source.startsWith('^') && !multiline);

/** Counts the characters and elements that these methods and regular expressions go through until `stop`. */
export function countScans() {
  let units = 0;
  const restore: (() => void)[] = [];
  const replace = (prototype: object, name: PropertyKey, wrap: (original: Method) => Method): void => {
    const property = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    Object.defineProperty(prototype, name, { ...property, value: wrap(property.value) });
    restore.push(() => Object.defineProperty(prototype, name, property));
  };
  const count =
    (cost: Cost) =>
    (original: Method): Method =>
      function (...values) {
        const result = original.apply(this, values);
        units += cost(this, result, values);
        return result;
      };
  for (const [prototype, names, cost] of costs) for (const name of names) replace(prototype, name, count(cost));
  replace(RegExp.prototype, 'exec', (original) => {
    return function (text) {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const match = original.call(this, text) as RegExpExecArray | null;
      if (match) units += 1 + match.index + match[0].length - from;
      else units += isAnchored(this) ? 1 : 1 + String(text).length - from;
      return match;
    };
  });
  const stop = (): void => {
    for (const undo of restore) undo();
  };
  return { units: () => units, stop };
}
