/** Names that every object has are names like any other in what texts, forms and files look up. */
import { describe, expect, it } from '@jest/globals';
import { ggufName } from '../export/gguf/names.ts';
import { htmlSegments } from '../src/book/html-segments.ts';
import { fieldOf, parseRecord } from '../src/cli/batch/record.ts';
import { parseScript } from '../src/engine/script/parse-script.ts';
import { readTruth } from '../src/validation.ts';
import { chooseScriptVoices, loadScriptVoices } from '../src/voices/script-voices.ts';
import type { VoiceCatalog } from '../src/voices/voice-catalog.ts';

const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

describe.each(names)('%s', (name) => {
  it('is no rate and no break of SSML', () => {
    const read = (inside: string) =>
      parseScript(`<speak>a${inside}b</speak>`, { format: 'ssml', voices: [], code: 'skip' });
    const { passages, warnings } = read(`<prosody rate="${name}">c</prosody>`);
    expect(passages.map(({ rate }) => rate)).toEqual([undefined]);
    expect(warnings).toEqual([expect.stringContaining(`the rate "${name}" of <prosody> is ignored`)]);
    expect(read(`<break strength="${name}"/>`).passages[0]?.pauseSeconds).toBe(0.75);
  });

  it('is no block of HTML', () => {
    const spoken = htmlSegments(`<html><body><p>a<${name}>b</${name}></p></body></html>`);
    expect(spoken.filter(({ kind }) => kind === 'pause').map((pause) => pause)).toEqual(
      htmlSegments('<html><body><p>a<x>b</x></p></body></html>').filter(({ kind }) => kind === 'pause'),
    );
  });

  it('is not true or false', () => {
    expect(readTruth(name)).toBeUndefined();
  });

  it('is no field of a batch', async () => {
    expect(fieldOf(name)).toBeUndefined();
    const parsing = parseRecord(JSON.parse(`{"text": "a", "${name}": "b"}`), {});
    await expect(parsing).rejects.toThrow(`unknown field "${name}"`);
  });

  it('is no part of a layer', () => {
    expect(ggufName(`base_lm.layers.0.${name}`)).toBe(`base_lm.layers.0.${name}`);
  });

  it('may be a speaker', async () => {
    const choice = { kind: 'named', id: 'anna', roles: [] } as never;
    const choices = await chooseScriptVoices(async () => choice, Object.fromEntries([[name, 'anna']]));
    expect(Object.entries(choices)).toEqual([[name, choice]]);
    const catalog = { load: async () => ({ request: { promptText: 'b' }, warnings: [] }) } as unknown as VoiceCatalog;
    const { voices = {} } = await loadScriptVoices(catalog, choices, new AbortController().signal);
    expect(Object.entries(voices)).toEqual([[name, { promptText: 'b' }]]);
  });
});

it('reads what is true and what is false', () => {
  expect(['true', 'TRUE', '1', 'false', '0', 'yes', ''].map(readTruth)).toEqual([
    ...[true, true, true, false, false, undefined, undefined],
  ]);
});
