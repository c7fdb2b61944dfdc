/** Links between the pages of the repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = process.cwd();
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
});
const pages = listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)));

const withoutCode = (page: string): string => page.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, 'code');

/** Anchors of the headings, as GitHub makes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...page.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  const slugs = headings.map((heading) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(
    slugs.flatMap((slug, index) => [slug, `${slug}-${slugs.slice(0, index).filter((s) => s === slug).length}`]),
  );
}

const linksIn = (page: string): readonly string[] =>
  [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);

function isBroken(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : posix.join(dirname(from), path);
  if (!existsSync(join(root, target))) return true;
  return anchor !== undefined && !anchorsOf(readFileSync(join(root, target), 'utf8')).has(anchor);
}

describe('links', () => {
  it('lead to files and headings that exist', () => {
    const broken = pages.flatMap((path) =>
      linksIn(readFileSync(join(root, path), 'utf8'))
        .filter((link) => !/^[a-z]+:/.test(link) && isBroken(path, link))
        .map((link) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
    expect([isBroken('README.md', 'docs/none.md'), isBroken('README.md', '#none')]).toEqual([true, true]);
  });

  it('lead from docs/README.md to every page', () => {
    const found = linksIn(readFileSync(join(root, 'docs', 'README.md'), 'utf8'));
    const others = pages.filter((path) => /^docs\/[^/]+\.md$/.test(path) && path !== 'docs/README.md');
    expect(others.map((path) => path.slice(5)).filter((name) => !found.includes(name))).toEqual([]);
  });

  it('name paths in docs/architecture.md that exist', () => {
    const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');
    const paths = [...page.matchAll(/`((?:src|native|export|bench|tests|scripts|models|deploy|examples)\/[\w./-]*)`/g)];
    const named = paths.map(([, path]) => path as string);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('number the decisions without holes: each has a record, or is a heading of the one that the index names', () => {
    const index = readFileSync(join(root, 'docs', 'adr', 'README.md'), 'utf8');
    const folded = [...index.matchAll(/^- \d+\. .*\]\((.+\.md)\), with (.+)$/gm)].flatMap(([, file = '', list = '']) =>
      (list.match(/\d+/g) ?? []).map((number) => ({ file: `docs/adr/${file}`, number })),
    );
    const headless = folded.filter(
      ({ file, number }) => !new RegExp(`^## .*\\(${number}[,)]`, 'm').test(readFileSync(join(root, file), 'utf8')),
    );
    expect(headless).toEqual([]);
    const records = pages.flatMap((path) => /^docs\/adr\/(\d{4})-/.exec(path)?.[1] ?? []);
    expect(records.length).toBeGreaterThan(55);
    const numbers = [...records, ...folded.map(({ number }) => number)].map(Number);
    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
  });

  it('name decisions by words of their titles', () => {
    const strange = pages.flatMap((path) => {
      const [, name = ''] = /^docs\/adr\/\d{4}-(.*)\.md$/.exec(path) ?? [];
      const [title = ''] = readFileSync(join(root, path), 'utf8').toLowerCase().replaceAll('.js', 'js').split('\n');
      const other = name.split('-').filter((word) => word.length > 3 && !title.includes(word));
      return other.map((word) => `${path}: ${word}`);
    });
    expect(strange).toEqual([]);
  });
});
