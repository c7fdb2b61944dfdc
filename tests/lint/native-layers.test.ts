import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { casesIn } from '../support/rows.ts';

const cases = casesIn('tests/lint/cases.tsv');

/** Includes that each room of `native` may have, from the bottom up. */
const rooms: Readonly<Record<string, string>> = {
  runtime: '',
  model: 'runtime',
  'cpu-kernels': 'model runtime',
  'ggml-executor': 'cpu-kernels model runtime',
  cuda: 'model runtime',
  addon: 'cpu-kernels cuda ggml-executor model runtime',
  // Only in the addon of a clone.
  probe: 'addon cpu-kernels cuda ggml-executor model runtime',
  simt: 'addon cuda model runtime',
};

/** Rooms that know nothing of ggml, so that engines without it can use them. */
const withoutGgml = ['runtime', 'model', 'cpu-kernels', 'probe/reference'];

/** Folders of a room from the bottom up: those before may not include those after. */
const folders: Readonly<Record<string, readonly string[]>> = { model: ['file', 'description', '', 'session'] };

/** Generated or fetched. */
const foreign = ['build', 'generated', 'ggml', 'prebuilds'];

const including = /^#(?:include|define SVC_\w+) "([^"]+)"/gm;
const ggmlName = /\b(?:ggml|gguf|GGML|GGUF)_\w+/g;
const ggmlHeader = /^#include "(?:ggml|gguf)[\w.-]*"/gm;

const roomOf = (file: string): string => file.split('/')[0] as string;
/** A source without its comments and includes. */
const codeOf = (source: string): string => source.replaceAll(/\/\/.*$|^#include .*$/gm, '');

async function sources(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const room of Object.keys(rooms)) {
    for (const entry of await readdir(join('native', room), { recursive: true })) {
      if (!/\.(?:cc|cu|h)$/.test(entry)) continue;
      const file = posix.join(room, entry.replaceAll('\\', '/'));
      found.set(file, await readFile(join('native', file), 'utf8'));
    }
  }
  return found;
}

/** The folder of a file in its room, as `folders` has it. */
const placeOf = (file: string): number => {
  const [, folder, rest] = file.split('/');
  return (folders[roomOf(file)] ?? []).indexOf(rest === undefined ? '' : (folder as string));
};

/** One line for each include that its room may not have, and for each name of ggml where none may be. */
function offences(file: string, source: string): string[] {
  const allowed = [roomOf(file), ...(rooms[roomOf(file)] as string).split(' ')];
  const found: string[] = [];
  for (const [, name = ''] of source.matchAll(including)) {
    if (!name.includes('/')) continue;
    const upwards = roomOf(name) === roomOf(file) && placeOf(name) > placeOf(file);
    if (!allowed.includes(roomOf(name)) || upwards) found.push(`${file}: ${name}`);
  }
  if (withoutGgml.some((folder) => file.startsWith(`${folder}/`))) {
    for (const [name] of [...codeOf(source).matchAll(ggmlName), ...source.matchAll(ggmlHeader)])
      found.push(`${file}: ${name}`);
  }
  return found;
}

describe('rooms of the native code', () => {
  it('has a rule for each room, and no other', async () => {
    const entries = await readdir('native', { withFileTypes: true });
    const found = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(found.filter((name) => !foreign.includes(name)).sort()).toEqual(Object.keys(rooms).sort());
  });

  it('has no circle of rooms', () => {
    const below = (room: string, above: readonly string[]): void => {
      expect(above).not.toContain(room);
      for (const next of (rooms[room] as string).split(' ').filter(Boolean)) below(next, [...above, room]);
    };
    for (const room of Object.keys(rooms)) below(room, []);
  });

  it('includes downwards only, and ggml only where it may', async () => {
    const all = [...(await sources())];
    expect(all.length).toBeGreaterThan(100);
    expect(all.flatMap(([file, source]) => offences(file, source))).toEqual([]);
  });

  it('includes files that are there', async () => {
    const names = [...(await sources()).values()].flatMap((source) =>
      [...source.matchAll(including)].map(([, name]) => name as string),
    );
    const own = names.filter((name) => Object.keys(rooms).includes(roomOf(name)));
    expect(own.filter((name) => !existsSync(join('native', name)))).toEqual([]);
  });

  it.each(cases('native refused'))('refuses in $case: $given', ({ case: file, given: source }) => {
    expect(offences(file, source)).toHaveLength(1);
  });

  it.each(cases('native allowed'))('allows in $case: $given', ({ case: file, given: source }) => {
    expect(offences(file, source)).toEqual([]);
  });
});
