import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const folder = join(process.cwd(), 'docs', 'adr');
const records = readdirSync(folder)
  .filter((name) => /^\d{4}-.+\.md$/.test(name))
  .sort();
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('decision records', () => {
  it('each have a number of their own, a title and a status', () => {
    const heads = records.map((name) => /^# (\d+)\. .+\n\nStatus: (?:accepted|superseded)/.exec(read(name))?.[1]);
    expect(heads).toEqual(records.map((name) => String(Number(name.slice(0, 4)))));
    expect(new Set(heads).size).toBe(records.length);
  });

  it('are listed by theme, once each, under their titles', () => {
    const listed = [...read('README.md').matchAll(/^- (\d+)\. \[(.+)\]\((.+\.md)\)/gm)].map(
      ([, number, title, file]) => `${file}: # ${number}. ${title}`,
    );
    expect(listed.sort()).toEqual(records.map((name) => `${name}: ${read(name).split('\n')[0]}`));
  });
});
