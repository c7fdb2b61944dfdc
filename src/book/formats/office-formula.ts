/** Formulas of Office Open XML as LaTeX, so that they are spoken like others. */

/** An element with its children; texts are strings. */
export interface XmlNode {
  /** Without its prefix. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlNode | string)[];
}

const nodesOf = ({ children }: XmlNode): readonly XmlNode[] => children.filter((child) => typeof child !== 'string');
const childOf = (node: XmlNode, name: string): XmlNode | undefined =>
  nodesOf(node).find((child) => child.name === name);

/** All text inside. */
export const textOf = (node: XmlNode): string =>
  node.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');

/** @returns undefined for one with a structure that has no simple words, such as a matrix */
export function latexOf(node: XmlNode): string | undefined {
  let text = '';
  for (const child of nodesOf(node)) {
    const part = partOf(child);
    if (part === undefined) return undefined;
    text += part;
  }
  return text;
}

function partOf(node: XmlNode): string | undefined {
  const argument = (name: string): string | undefined => {
    const found = childOf(node, name);
    return found === undefined ? '' : latexOf(found);
  };
  const joined = (form: (...values: readonly string[]) => string, ...names: readonly string[]): string | undefined => {
    const values = names.map(argument);
    return values.some((value) => value === undefined) ? undefined : form(...(values as string[]));
  };
  switch (node.name) {
    case 'r':
      return childOf(node, 'rPr') !== undefined && /\p{L}{2}/u.test(textIn(node))
        ? `\\text{${textIn(node)}}`
        : textIn(node);
    case 'f':
      return joined((above, below) => `\\frac{${above}}{${below}}`, 'num', 'den');
    case 'sSup':
      return joined((base, power) => `${base}^{${power}}`, 'e', 'sup');
    case 'sSub':
      return joined((base, index) => `${base}_{${index}}`, 'e', 'sub');
    case 'sSubSup':
      return joined((base, index, power) => `${base}_{${index}}^{${power}}`, 'e', 'sub', 'sup');
    case 'rad':
      return textOf(childOf(node, 'deg') ?? node) === '' || childOf(node, 'deg') === undefined
        ? joined((base) => `\\sqrt{${base}}`, 'e')
        : undefined;
    case 'd':
      return joined((inner) => `(${inner})`, 'e');
    case 'oMath':
    case 'box':
    case 'e':
      return latexOf(node.name === 'box' ? (childOf(node, 'e') ?? node) : node);
    default:
      return /Pr$/.test(node.name) ? '' : undefined;
  }
}

/** The text of a run, without its properties. */
const textIn = (run: XmlNode): string =>
  nodesOf(run)
    .filter(({ name }) => name === 't')
    .map(textOf)
    .join('');
