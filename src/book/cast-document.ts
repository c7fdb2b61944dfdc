/** The cast of a book as YAML. */
import { Document, isMap, isNode, isScalar, isSeq, Lexer, LineCounter, parseDocument, visit } from 'yaml';
import { SvcError } from '../errors.ts';
import { reasonOf } from '../files/file-system.ts';
import { oneLine, quote } from '../messages.ts';
import { requestError } from '../validation.ts';
import { type Cast, type CastFile, type LinesOfFields, parseCast } from './cast.ts';
import { parseForeign } from './document-file.ts';

/** Limit of a cast file; a chapter with a thousand quotations takes 60,000 characters. */
const mostCharacters = 8_000_000;
/** Collections inside each other; a cast has four. */
const mostNesting = 30;

/** @throws SvcError INVALID_REQUEST, with the line of what is no YAML */
export const readCastDocument = (text: string, path: string): Promise<CastFile> =>
  parseForeign(path, 'YAML file', () => {
    if (text.length > mostCharacters) throw requestError(`${quote(path)} is larger than ${mostCharacters / 1e6} MB`);
    if (nestingOf(text) > mostNesting) throw requestError(`${quote(path)} is not a cast: it is nested too deeply`);
    const notYaml = (reason: string) => requestError(`${quote(path)} is not valid YAML: ${reason}`);
    // The parser compares each key with all others of its map.
    const lineCounter = new LineCounter();
    // There may be an error for each character, of which the first is shown.
    const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, lineCounter });
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lineCounter.linePos(error.pos[0]);
      throw notYaml(`${oneLine(error.message)} at line ${line}, column ${col}`);
    }
    const problem = problemOfKeys(document);
    if (problem !== undefined) throw notYaml(problem);
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: 100 });
    } catch (cause) {
      throw notYaml(reasonOf(cause));
    }
    try {
      const cast = parseCast(value ?? {}, path);
      return { cast, name: path, lines: linesOf(cast, document, lineCounter) };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const offset = offsetOf(document, error.param?.split('.') ?? []);
      const { code, message, param, cause } = error;
      if (offset === undefined && message.includes(path)) throw error;
      const place = offset === undefined ? path : `${path}, line ${lineCounter.linePos(offset).line}`;
      throw new SvcError(code, `${place}: ${message.replace(`${path}: `, '')}`, { param, cause });
    }
  });

/** The lines of chapters and of their quotations. */
function linesOf({ chapters = [] }: Cast, document: Document, lineCounter: LineCounter): LinesOfFields {
  const lines: Record<string, number> = {};
  const add = (...way: readonly (string | number)[]): void => {
    const offset = offsetOf(document, way.map(String));
    if (offset !== undefined) lines[way.join('.')] = lineCounter.linePos(offset).line;
  };
  for (const [index, { lines: quotations = [] }] of chapters.entries()) {
    add('chapters', index);
    for (const line of quotations.keys()) add('chapters', index, 'lines', line);
  }
  return lines;
}

/** Where the innermost value on the way to a field begins. */
function offsetOf(document: Document, way: readonly string[]): number | undefined {
  for (let length = way.length; length > 0; length -= 1) {
    const keys = way.slice(0, length).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    const node = document.getIn(keys, true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return undefined;
}

/** Brackets within each other, and marks of items and of keys in a line, for which the parser takes exponential time. */
function nestingOf(text: string): number {
  let brackets = 0;
  let marks = 0;
  let most = 0;
  for (const token of new Lexer().lex(text)) {
    if (/^\r?\n/.test(token)) marks = 0;
    if (token === '-' || token === '?') marks += 1;
    if (token === '{' || token === '[') brackets += 1;
    if (token === '}' || token === ']') brackets = Math.max(0, brackets - 1);
    most = Math.max(most, brackets + marks);
  }
  return most;
}

/** A key that is there twice, or no word: the parser writes it as text, again for each that it is in. */
function problemOfKeys(document: Document): string | undefined {
  let found: string | undefined;
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        const isWord = !isMap(key) && !isSeq(key);
        if (!isWord || seen.has(name)) {
          found = isWord ? `it has the key ${quote(String(name))} twice` : 'a key is a list or has keys of its own';
          return visit.BREAK;
        }
        seen.add(name);
      }
    },
  });
  return found;
}

const about = ` Voices of a book, for svc tts --text-file BOOK --cast THIS-FILE.
 Correct the characters of the lines, and choose voices: svc voices list
 A line is found by the words with which its quotation begins, in order.
 Quotations without a line are spoken in the voice of "quotes".`;

/** With a line for each quotation. */
export function castAsYaml(cast: Cast): string {
  const document = new Document(cast);
  document.commentBefore = about;
  const chapters = document.get('chapters');
  for (const chapter of isSeq(chapters) ? chapters.items : []) {
    const lines = isMap(chapter) ? chapter.get('lines') : undefined;
    for (const line of isSeq(lines) ? lines.items : []) if (isMap(line)) line.flow = true;
  }
  return document.toString({ lineWidth: 0 });
}
