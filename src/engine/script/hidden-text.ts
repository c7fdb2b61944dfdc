/**
 * Leaves out what language models write for themselves and for programs: reasoning between `<think>` and `</think>`, calls
 * of tools and their results, and single control tokens. Works on a text that is still being written, however its tags are
 * split.
 */

/** Names of elements, of which everything inside is left out. */
const names =
  `think thinking thought thoughts reasoning reflection scratchpad inner_monologue seed:think tool_call tool_calls tool_use tool_code
  tool_response tool_result tool_results tool_output tool_outputs invoke function_call function_calls function_result
  function_results antml:function_calls antml:thinking`.split(/\s+/);

/** Elements of which only the tags are left out: their contents are spoken. */
const shownNames = 'answer final final_answer response output assistant'.split(' ');

/** Marks of models that use no elements. */
const pairs: readonly (readonly [open: string, close: string])[] = [
  ['[think]', '[/think]'],
  ['◁think▷', '◁/think▷'],
  ['<|start_thinking|>', '<|end_thinking|>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|channel|>analysis<|message|>', '<|end|>'],
  ['<|channel|>commentary', '<|call|>'],
  ['<|tool_call_begin|>', '<|tool_call_end|>'],
  ['<|tool_calls_section_begin|>', '<|tool_calls_section_end|>'],
  ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'],
];

/** Control tokens with a word that belongs to them. */
const singles =
  '<|start|>assistant <|im_start|>assistant <|channel|>final <|start_header_id|>assistant<|end_header_id|>'.split(' ');

const escaped = (text: string): string => text.replace(/[|[\]]/g, String.raw`\$&`);
/** Elements, as `<think>` and `<function=name>`, then the pairs, then control tokens such as `<|im_end|>`. */
const opening = new RegExp(
  [
    String.raw`<(${names.join('|')}|function(?==))(?:=[\w.:-]{1,64})?(?:\s[^<>]{0,60})?>`,
    ...pairs.map(([open]) => `(${escaped(open)})`),
    `</?(?:${shownNames.join('|')})>`,
    ...singles.map(escaped),
    String.raw`<[|｜][\w▁:-]{1,40}[|｜]>`,
  ].join('|'),
  'giu',
);
/** Longest beginning of a mark that may still go on. */
const longestMark = 140;
const markStart = /[<[◁]/u;
/** How much is kept of hidden text that began in a line of prose, in case it never ends. */
const mostKept = 4096;

interface Hiding {
  /** Either mark; nested ones of the same name are counted. */
  readonly edge: RegExp;
  readonly close: string;
  depth: number;
  /** Text hidden so far, if it began within a line, where it may be a word of the text; else undefined. */
  kept: string | undefined;
}

function hidingOf([found, name, ...paired]: RegExpExecArray, isWithinLine: boolean): Hiding | undefined {
  const pair = paired.findIndex((mark) => mark !== undefined);
  if (name === undefined && pair === -1) return undefined;
  const [open, close] = name === undefined ? (pairs[pair] as readonly [string, string]) : [`<${name}`, `</${name}>`];
  const edge = new RegExp(`${escaped(open)}|${escaped(close)}`, 'giu');
  return { edge, close: close.toLowerCase(), depth: 1, kept: isWithinLine ? found : undefined };
}

/** How much of the end of a text may be the beginning of a mark. */
function heldLength(text: string): number {
  const tail = text.slice(-longestMark);
  for (let at = 0; at < tail.length; at += 1) {
    if (markStart.test(tail[at] as string) && mayBeMark(tail.slice(at).toLowerCase())) return tail.length - at;
  }
  return 0;
}

const begunMarks: readonly string[] = [...pairs.map(([open]) => open), ...singles];

/** A control token may begin a longer mark. */
const mayBeLonger = (text: string): boolean =>
  begunMarks.some((mark) => mark.length > text.length && mark.startsWith(text));

const mayBeMark = (text: string): boolean =>
  mayBeLonger(text) ||
  /^<[|｜][\w▁:-]{0,40}[|｜]?$/u.test(text) ||
  /^<function(?:=[\w.:-]{0,64})?$/.test(text) ||
  shownNames.some((name) => `<${name}>`.startsWith(text) || `</${name}>`.startsWith(text)) ||
  names.some((name) => `<${name}>`.startsWith(text) || (text.startsWith(`<${name} `) && !/[<>]/.test(text.slice(1))));

export function createHiddenText() {
  let held = '';
  let hiding: Hiding | undefined;
  /** The last line of what can be spoken, or its end. */
  let line = '';

  const show = (text: string): string => {
    const start = text.lastIndexOf('\n') + 1;
    line = (start > 0 ? '' : line) + text.slice(start).slice(-longestMark);
    return text;
  };

  /** Passes over hidden text from a place on. @returns where it ends; undefined if that is still to come */
  function skip(text: string, from: number): number | undefined {
    const current = hiding as Hiding;
    current.edge.lastIndex = from;
    let at = from;
    for (let edge = current.edge.exec(text); edge !== null; edge = current.edge.exec(text)) {
      at = current.edge.lastIndex;
      current.depth += edge[0].toLowerCase() === current.close ? -1 : 1;
      if (current.depth > 0) continue;
      hiding = undefined;
      return at;
    }
    const rest = Math.max(at, text.length - longestMark);
    if (current.kept !== undefined) current.kept = (current.kept + text.slice(from, rest)).slice(0, mostKept);
    held = text.slice(rest);
    return undefined;
  }

  /** @returns what can be spoken of the text so far */
  function push(text: string): string {
    const all = held + text;
    held = '';
    let shown = '';
    let at = 0;
    for (;;) {
      if (hiding !== undefined) {
        const end = skip(all, at);
        if (end === undefined) return shown;
        at = end;
      }
      opening.lastIndex = at;
      const found = opening.exec(all);
      if (found === null) break;
      if (text !== '' && mayBeLonger(all.slice(found.index, found.index + longestMark).toLowerCase())) break;
      shown += show(all.slice(at, found.index));
      at = found.index + found[0].length;
      // As code it is one of the words of the text.
      if (line.endsWith('`')) shown += show(found[0]);
      else hiding = hidingOf(found, line.trim() !== '');
    }
    const end = all.length - heldLength(all.slice(at));
    held = all.slice(end);
    return shown + show(all.slice(at, end));
  }

  return {
    push,
    end(): string {
      // A control token that might have been longer.
      const last = hiding === undefined ? push('') : '';
      const rest = last + (hiding === undefined ? held : hiding.kept === undefined ? '' : hiding.kept + held);
      held = '';
      hiding = undefined;
      return rest;
    },
  };
}

/** An answer whose reasoning began before its text. */
const strayEnd = /(?<!`)<\/(?:think|thinking|reasoning)>\s*/i;

export function withoutHidden(text: string): string {
  if (!/[<[◁]/u.test(text)) return text;
  const stray = strayEnd.exec(text);
  opening.lastIndex = 0;
  const first = opening.exec(text);
  const from = stray !== null && (first === null || first.index > stray.index) ? stray.index + stray[0].length : 0;
  const hidden = createHiddenText();
  return hidden.push(text.slice(from)) + hidden.end();
}
