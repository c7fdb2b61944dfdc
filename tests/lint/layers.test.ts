import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { casesIn } from '../support/rows.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Imports that each room may have, from the bottom up. All may import `base`: the loose files of `src`. */
const layers: Readonly<Record<string, string>> = {
  base: '',
  package: '',
  files: '',
  'content-cache': '',
  formats: '',
  processors: '',
  captions: 'engine',
  tracing: 'package',
  audio: 'files package processors',
  hub: 'files package',
  admission: '',
  engine: 'admission audio content-cache files formats package processors',
  book: 'captions engine files package processors',
  dub: 'audio captions engine',
  recognition: 'audio engine files',
  voices: 'audio engine files package',
  'speech-files': 'audio captions engine files package',
  'model-pool': 'admission engine',
  metrics: 'admission engine model-pool',
  broker: 'admission audio engine metrics model-pool speech-files tracing',
  server: 'admission audio captions content-cache dub engine files metrics model-pool package tracing voices',
  wyoming: 'audio engine files model-pool package server voices',
  export: 'engine files formats hub package',
  bench: 'audio engine export files formats',
  web: 'audio captions engine',
  library: 'audio book captions dub engine export hub voices',
  cli: `admission audio bench book broker captions dub engine export files formats hub metrics model-pool package processors recognition
    server speech-files tracing voices wyoming`,
};

/**
 * The rooms inside large rooms, from the bottom up, with those that each may import. A room is the folder of its name, without
 * those of its files that another names, and the files that it names.
 */
const inside: Readonly<Record<string, Readonly<Record<string, { readonly files?: string; readonly may: string }>>>> = {
  engine: {
    contract: { files: 'backend.ts noise.ts model-limits.ts recognize.ts lora/lora-weights.ts', may: '' },
    text: { may: 'contract' },
    lexicon: { may: 'text' },
    timing: { may: 'lexicon text' },
    script: { may: 'text' },
    request: {
      files: `request.ts request-fields.ts voice-fields.ts parsed-request.ts accepted.ts reading-fields.ts speech-request.ts encoded-recordings.ts
        check-requests.ts`,
      may: 'contract lexicon script text',
    },
    lora: { files: 'engine-options.ts', may: 'contract request' },
    backends: { may: 'contract lora text' },
    plan: { files: 'text-reader.ts', may: 'contract request script text' },
    live: { may: 'contract plan request script text' },
    loop: {
      files:
        'call-queue.ts sliced-call.ts session-room.ts scheduler.ts several-devices.ts generate.ts prefix.ts prepare.ts bad-case.ts lifetimes.ts',
      may: 'contract plan request text timing',
    },
    'long-text': {
      files: 'speech-event.ts speech-source.ts speech.ts speed.ts',
      may: 'contract live loop lora plan request script text timing',
    },
    engine: {
      files: 'engine.ts open-engine.ts checkpoint-folder.ts demo-model.ts read-limits.ts',
      may: 'backends contract live long-text loop lora plan request timing',
    },
  },
  server: {
    http: { may: '' },
    schemas: { may: 'http' },
    openapi: { may: 'http' },
    pages: { may: '' },
    context: { may: 'http pages schemas' },
    middleware: { may: 'context http openapi' },
    jobs: { may: 'context' },
    recordings: { may: 'context http jobs schemas' },
    speech: { may: 'context http jobs recordings schemas' },
    live: { may: 'context http jobs middleware schemas speech' },
    routes: { may: 'context http jobs live middleware openapi recordings schemas speech' },
    mcp: { may: 'context http live middleware openapi recordings schemas speech' },
    dialects: { may: 'context http jobs live middleware openapi recordings routes schemas speech' },
    app: {
      files: 'app.ts create-context.ts listen.ts open-server.ts',
      may: 'context dialects http mcp middleware openapi pages recordings routes',
    },
  },
};

/** The room inside `room` that a path belongs to; undefined where no rule names it. */
function innerRoomOf(room: string, path: string): string | undefined {
  const name = path.slice(`src/${room}/`.length);
  const rooms = Object.entries(inside[room] ?? {});
  const named = rooms.find(([, { files = '' }]) => files.split(/\s+/).includes(name));
  const [folder = '', ...rest] = name.split('/');
  return named?.[0] ?? (rest.length > 0 && inside[room]?.[folder] !== undefined ? folder : undefined);
}

/** Whether one file of a room may import another by the rules inside it. */
function mayImportInside(room: string, file: string, path: string): boolean {
  if (inside[room] === undefined) return true;
  const [from, to] = [innerRoomOf(room, file), innerRoomOf(room, path)];
  return from !== undefined && (from === to || inside[room][from]?.may.split(' ').includes(to ?? '') === true);
}

/** Folders of a room that only these files of it import: the rest of the room knows of none of their parts. */
const pluggedIn: Readonly<Record<string, readonly string[]>> = {
  'src/server/dialects/': ['src/server/open-server.ts'],
};

/**
 * Packages that only these folders and files may load, besides `tests`, `scripts` and `bench`. Parsers of others' files are
 * loaded where what they are given is limited.
 */
const packages: Readonly<Record<string, string>> = {
  'onnxruntime-node': 'src/engine/backends/onnx',
  bullmq: 'src/broker',
  chardet: 'src/files',
  'css-tree/parser': 'src/book/epub/style-sheets.ts',
  'csv-parse': 'src/cli/batch/table.ts',
  htmlparser2: 'src/book/markup.ts src/book/formats/html-book.ts',
  ioredis: 'src/broker',
  libsql: 'src/voices',
  mammoth: 'src/book/formats/docx-book.ts',
  'markdown-it': 'src/engine/script/markdown-parser.ts src/engine/script/markdown-rules.ts',
  'media-captions': 'src/captions/parse-captions.ts',
  'pdfjs-dist/legacy/build/pdf.mjs': 'src/book/formats/pdf-book.ts',
  pg: 'src/voices',
  saxes: 'src/engine/lexicon/parse-lexicon.ts src/engine/script/ssml.ts',
  yaml: 'src/book/cast-document.ts',
  yauzl: 'src/book/epub/archive.ts src/formats/zip.ts',
};

function roomOf(path: string): string | undefined {
  if (path === 'src/index.ts' || path === 'src/create-engine.ts') return 'library';
  const [top, room, ...rest] = path.split('/');
  if (top === 'export') return 'export';
  if (top !== 'src') return;
  return rest.length === 0 ? 'base' : room;
}

/** As the formatter leaves them. */
const importing = /^(?:import|export|\} from)\b(?:[^'\n]*\bfrom)? '([^']+)';$|\bimport\('([^']+)'\)/gm;

/** One line for each import of a file that its layer may not have. */
function offences(file: string, source: string): string[] {
  const room = roomOf(file) as string;
  const allowed = ['base', room, ...(layers[room] ?? '').split(/\s+/)];
  const names = [...source.matchAll(importing)].map(([, fixed, dynamic]) => (fixed ?? dynamic) as string);
  return names.flatMap((fileName) => {
    const offence = `${file}: ${fileName}`;
    if (!fileName.startsWith('.')) {
      if (room === 'web' && fileName.startsWith('node:')) return [offence];
      const owners = packages[fileName]?.split(' ');
      const isOwner = (owner: string): boolean => file === owner || file.startsWith(`${owner}/`);
      return owners === undefined || owners.some(isOwner) ? [] : [offence];
    }
    const path = posix.join(posix.dirname(file), fileName);
    const folder = Object.keys(pluggedIn).find((folder) => path.startsWith(folder) && !file.startsWith(folder));
    const isInterface = path.endsWith('/dialect.ts');
    if (folder !== undefined && !isInterface && !pluggedIn[folder]?.includes(file)) return [offence];
    const target = roomOf(path);
    if (target === undefined || !allowed.includes(target)) return [offence];
    if (target === room && !mayImportInside(room, file, path)) return [offence];
    // The pages share `shared`, and nothing else.
    const [, , page] = file.split('/');
    const shares = room !== 'web' || target !== 'web' || [`../shared/`, './'].some((way) => fileName.startsWith(way));
    return shares || page === undefined ? [] : [offence];
  });
}

/** Sources by their paths. */
function sourcesIn(root: string, folders: readonly string[]): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(entry)) continue;
      const file = posix.join(folder, entry.replaceAll('\\', '/'));
      sources.set(file, readFileSync(join(root, file), 'utf8'));
    }
  }
  return sources;
}

const offendersIn = (root: string, folders: readonly string[]): string[] =>
  [...sourcesIn(root, folders)].flatMap(([file, source]) => offences(file, source));

/** The first circle of files that import each other, also of types alone; empty without any. */
function circleIn(sources: ReadonlyMap<string, string>): readonly string[] {
  const finished = new Set<string>();
  const circleFrom = (file: string, path: readonly string[]): readonly string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    const source = sources.get(file);
    if (source === undefined || finished.has(file)) return [];
    for (const [, fixed, dynamic] of source.matchAll(importing)) {
      const name = (fixed ?? dynamic) as string;
      const found = name.startsWith('.') ? circleFrom(posix.join(posix.dirname(file), name), [...path, file]) : [];
      if (found.length > 0) return found;
    }
    finished.add(file);
    return [];
  };
  for (const file of sources.keys()) {
    const found = circleFrom(file, []);
    if (found.length > 0) return found;
  }
  return [];
}

describe('layers', () => {
  it('has a layer for each room, and no other', async () => {
    const entries = await readdir('src', { withFileTypes: true });
    const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect([...rooms, 'base', 'library', 'export'].sort()).toEqual(Object.keys(layers).sort());
  });

  it('has no circle of rooms', () => {
    const tables = [
      layers,
      ...Object.values(inside).map((rooms) =>
        Object.fromEntries(Object.entries(rooms).map(([room, { may }]) => [room, may])),
      ),
    ];
    for (const table of tables) {
      const below = (room: string, above: readonly string[]): void => {
        expect(above).not.toContain(room);
        for (const next of (table[room] as string).split(/\s+/).filter(Boolean)) below(next, [...above, room]);
      };
      for (const room of Object.keys(table)) below(room, []);
    }
  });

  it.each(Object.keys(inside))('has a room for each file of %s, and each file that a rule names', async (room) => {
    const entries = await readdir(join('src', room), { recursive: true });
    const files = entries.map((entry) => entry.replaceAll('\\', '/')).filter((entry) => /\.tsx?$/.test(entry));
    expect(files.filter((file) => innerRoomOf(room, `src/${room}/${file}`) === undefined)).toEqual([]);
    const named = Object.values(inside[room] ?? {}).flatMap(({ files = '' }) => files.split(/\s+/).filter(Boolean));
    expect(named.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('imports downwards only', () => {
    expect(offendersIn('.', ['src', 'export'])).toEqual([]);
  });

  it('has no circle of files', () => {
    expect(circleIn(sourcesIn('.', ['src', 'export', 'bench']))).toEqual([]);
    const sources = { 'a/b.ts': "import type { C } from './c.ts';", 'a/c.ts': "export { d } from '../a/b.ts';" };
    expect(circleIn(new Map(Object.entries(sources)))).toEqual(['a/b.ts', 'a/c.ts', 'a/b.ts']);
  });

  it.each(casesIn('tests/lint/cases.tsv')('sources'))(
    'refuses in $case: $given',
    async ({ case: file, given: source }) => {
      await using folder = await temporaryFolder();
      await mkdir(join(folder.path, dirname(file)), { recursive: true });
      await writeFile(join(folder.path, file), source);
      expect(offendersIn(folder.path, [file.split('/')[0] as string])).toHaveLength(1);
    },
  );

  it('only the command line accesses the process', () => {
    // Code samples for clients, which are text, and the only switch of a library.
    const exempt = ['src/server/openapi/samples.ts', 'src/engine/backends/onnx/telemetry.ts'];
    const offenders = [...sourcesIn('.', ['src'])].filter(
      ([file, source]) =>
        !(file.startsWith('src/cli') || exempt.includes(file)) &&
        /\bprocess\.(argv|exit|exitCode|stdout|stderr|stdin|env)\b/.test(source),
    );
    expect(offenders.map(([file]) => file)).toEqual([]);
  });
});
