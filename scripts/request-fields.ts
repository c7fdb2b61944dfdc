/** `npm run request-fields`: writes the table of docs/request-fields.md from the request fields of the engine. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldNames } from '../src/cli/options/speech-options.ts';
import { type Field, type FieldName, requestFields } from '../src/engine/request-fields.ts';
import { bodyNames } from '../src/server/schemas/speech.ts';

const path = join(import.meta.dirname, '..', 'docs', 'request-fields.md');

const pages: Readonly<Partial<Record<FieldName, string>>> = {
  lora: 'lora.md',
  loraWeight: 'lora.md',
  retryBadcase: 'checked-speech.md',
  maxWordErrors: 'checked-speech.md#words',
  trimSilence: 'checked-speech.md#silence-at-the-ends',
  continueBy: 'text.md#one-voice-for-all-parts',
  split: 'text.md',
  normalize: 'text.md',
  inputFormat: 'scripts.md',
  firstClause: 'live.md',
};

const code = (text: string | undefined): string => (text === undefined ? '–' : `\`${text}\``);

function valuesOf(field: Field): string {
  switch (field.kind) {
    case 'language':
      return 'a language tag such as `de`, or `auto`';
    case 'text':
      return `up to ${field.longest} characters`;
    case 'boolean':
      return field.default === 'auto' ? '`auto`, `true`, `false`' : '`true`, `false`';
    case 'choice':
      return field.choices.map(code).join(', ');
    default:
      return `${field.minimum} to ${field.maximum}`;
  }
}

function optionOf(name: FieldName): string {
  const field: Field = requestFields[name];
  if (name === 'lora' || name === 'loraWeight') return '`--lora`';
  const flag = fieldNames[name].replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (field.kind === 'boolean' && field.default === 'auto') return `\`--${flag}\`, \`--no-${flag}\``;
  return field.kind === 'boolean' && field.default ? `\`--no-${flag}\`` : `\`--${flag}\``;
}

function rowOf(name: FieldName): string {
  const field: Field = requestFields[name];
  const fallback = 'default' in field && field.default !== undefined ? code(String(field.default)) : '–';
  const page = pages[name];
  const help = page === undefined ? field.help : `${field.help} ([more](${page}))`;
  const inHttp = (bodyNames as Readonly<Partial<Record<FieldName, string>>>)[name];
  return `| ${[code(name), code(inHttp), optionOf(name), fallback, valuesOf(field), help].join(' | ')} |`;
}

/** The page with its table as the engine has it now. */
export function withTable(page: string): string {
  const rows = (Object.keys(requestFields) as FieldName[]).map(rowOf).join('\n');
  const table = `| field | in HTTP | option | default | values | |\n|---|---|---|---|---|---|\n${rows}\n`;
  return page.replace(/^\| field .*?(?=\n\n|\n*$(?![\s\S]))/ms, table.trimEnd());
}

if (process.argv[1] === import.meta.filename) writeFileSync(path, withTable(readFileSync(path, 'utf8')));
