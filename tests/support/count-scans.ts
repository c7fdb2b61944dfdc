/** Methods that go through all of their string or array. */
const stringMethods = [
  'includes',
  'indexOf',
  'lastIndexOf',
  'normalize',
  'split',
  'toLowerCase',
  'toUpperCase',
  'trim',
];
const arrayMethods = ['concat', 'flat', 'includes', 'indexOf', 'join', 'reverse', 'shift', 'slice', 'sort', 'splice'];
/** A spread and `for…of` call this one. */
const elements = Symbol.iterator;

// biome-ignore lint/suspicious/noExplicitAny: any method of any object.
type Method = (this: any, ...values: any[]) => unknown;

/** Counts the characters and elements that these methods and regular expressions go through until `stop`. */
export function countScans() {
  let units = 0;
  const restore: (() => void)[] = [];
  const replace = (prototype: object, name: PropertyKey, wrap: (original: Method) => Method): void => {
    const property = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    Object.defineProperty(prototype, name, { ...property, value: wrap(property.value) });
    restore.push(() => Object.defineProperty(prototype, name, property));
  };
  const countLength = (original: Method): Method =>
    function (...values) {
      units += this.length;
      return original.apply(this, values);
    };
  for (const name of stringMethods) replace(String.prototype, name, countLength);
  for (const name of [...arrayMethods, 'unshift', elements]) replace(Array.prototype, name, countLength);
  replace(RegExp.prototype, 'exec', (original) => {
    return function (text) {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const match = original.call(this, text) as RegExpExecArray | null;
      if (match) units += 1 + match.index + match[0].length - from;
      // A sticky expression fails where it begins.
      else units += this.sticky ? 1 : 1 + String(text).length - from;
      return match;
    };
  });
  const stop = (): void => {
    for (const undo of restore) undo();
  };
  return { units: () => units, stop };
}
