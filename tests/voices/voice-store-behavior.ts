/** Behavior of every voice store. */
import { describe, expect, it } from '@jest/globals';
import type { VoiceEncoding, VoiceStore } from '../../src/voices/voice-store.ts';
import { turns } from '../support/turns.ts';
import { sampleVoice } from './sample-voice.ts';

const conflict = expect.objectContaining({ code: 'CONFLICT' });

/** @param storeOf returns an empty store for the running test */
export function describeVoiceStore(storeOf: () => VoiceStore): void {
  describe('put', () => {
    it('stores all fields', async () => {
      const voice = sampleVoice('anna', 3);
      const before = Date.now();
      const record = await storeOf().put(voice, 'create');
      const { encodings, ...rest } = record;
      expect(rest).toEqual({
        id: 'anna',
        revision: expect.any(String),
        text: 'text 3',
        roles: ['prompt'],
        recording: { sampleRate: 16_000, sampleCount: 400, kept: true },
        createdAt: record.updatedAt,
        updatedAt: expect.any(Date),
      });
      expect(record.updatedAt.getTime()).toBeGreaterThanOrEqual(before);
      const { patches: _, ...info } = voice.encodings[0] as VoiceEncoding;
      expect(encodings).toEqual([info]);
      expect(await storeOf().get('anna')).toEqual({ ...record, encodings: voice.encodings });
      expect(await storeOf().recording('anna', record.revision)).toEqual(voice.recording);
      expect(await storeOf().list()).toEqual([record]);
    });

    it('stores pronunciations, which a replacement without any removes', async () => {
      const lexicon = [
        { written: 'gif', spoken: 'jif' },
        { written: '"重庆"', spoken: "{chong2}庆'" },
      ];
      const record = await storeOf().put(sampleVoice('anna', 1, { lexicon }), 'create');
      expect(record.lexicon).toEqual(lexicon);
      expect((await storeOf().get('anna'))?.lexicon).toEqual(lexicon);
      expect(await storeOf().list()).toEqual([record]);
      const replaced = await storeOf().put(sampleVoice('anna', 1, { lexicon: [] }), 'replace');
      expect(replaced).not.toHaveProperty('lexicon');
    });

    it('stores the language of a voice, which a replacement without one removes', async () => {
      const record = await storeOf().put(sampleVoice('anna', 1, { language: 'pt-BR' }), 'create');
      expect(record.language).toBe('pt-BR');
      expect((await storeOf().get('anna'))?.language).toBe('pt-BR');
      expect(await storeOf().list()).toEqual([record]);
      expect(await storeOf().put(sampleVoice('anna', 1), 'replace')).not.toHaveProperty('language');
    });

    it('preserves every bit of a number', async () => {
      const patches = Float32Array.from({ length: 30 }, (_, i) => Math.fround(Math.sin(i) * 10 ** (i - 15)));
      // At an offset in its buffer, like a slice of a larger result.
      const inside = new Float32Array([9, ...patches, 9]).subarray(1, 31);
      const [encoding] = sampleVoice('anna').encodings as [VoiceEncoding];
      await storeOf().put(sampleVoice('anna', 1, { encodings: [{ ...encoding, patches: inside }] }), 'create');
      expect((await storeOf().get('anna'))?.encodings[0]?.patches).toEqual(patches);
    });

    it('refuses a name that is taken, and changes nothing', async () => {
      const first = await storeOf().put(sampleVoice('anna', 1), 'create');
      await expect(storeOf().put(sampleVoice('anna', 2), 'create')).rejects.toEqual(conflict);
      expect(await storeOf().list()).toEqual([first]);
    });

    it('replaces everything except the creation time', async () => {
      const first = await storeOf().put(sampleVoice('anna', 1), 'create');
      while (Date.now() <= first.updatedAt.getTime()) await turns(1);
      const { text: _, ...silent } = sampleVoice('anna', 2, { roles: ['reference'], keepRecording: 'discard' });
      const second = await storeOf().put({ ...silent, encodings: [] }, 'replace');
      expect(second).toMatchObject({ roles: ['reference'], recording: { kept: false }, createdAt: first.createdAt });
      expect(second.updatedAt.getTime()).toBeGreaterThan(first.updatedAt.getTime());
      expect(second).not.toHaveProperty('text');
      expect(await storeOf().get('anna')).toEqual({ ...second, encodings: [] });
      expect(await storeOf().recording('anna', second.revision)).toBeUndefined();
      expect(await storeOf().recording('anna', first.revision)).toBeUndefined();
    });

    it('keeps the old voice if the new one cannot be stored', async () => {
      const first = await storeOf().put(sampleVoice('anna', 1), 'create');
      const [encoding] = sampleVoice('anna').encodings as [VoiceEncoding];
      const broken = sampleVoice('anna', 2, { encodings: [{ ...encoding, patches: new Float32Array(7) }] });
      await expect(storeOf().put(broken, 'replace')).rejects.toMatchObject({ code: 'IO' });
      expect(await storeOf().list()).toEqual([first]);
      expect(await storeOf().recording('anna', first.revision)).toBeDefined();
    });

    it('treats names as plain text', async () => {
      const id = "x'; DROP TABLE voices; --";
      await storeOf().put(sampleVoice(id), 'create');
      expect(await storeOf().get(id)).toMatchObject({ id });
      expect((await storeOf().list()).map((record) => record.id)).toEqual([id]);
    });
  });

  describe('get, list and remove', () => {
    it('do not find missing voices', async () => {
      expect(await storeOf().get('anna')).toBeUndefined();
      expect(await storeOf().list()).toEqual([]);
      expect(await storeOf().remove('anna')).toBe(false);
      expect(await storeOf().recording('anna', 'x')).toBeUndefined();
    });

    it('list by name, each with its own encodings', async () => {
      for (const [index, id] of ['c', 'a', 'B', 'd'].entries()) await storeOf().put(sampleVoice(id, index), 'create');
      await storeOf().remove('d');
      const list = await storeOf().list();
      expect(list.map(({ id }) => id)).toEqual(['B', 'a', 'c']);
      expect(
        list.every(({ encodings }) => encodings.length === 1 && encodings.every((one) => !('patches' in one))),
      ).toBe(true);
    });
  });

  describe('addEncodings', () => {
    const [encoding] = sampleVoice('anna', 7).encodings as [VoiceEncoding];

    it('adds encodings of other encoders and replaces those of the same', async () => {
      const { revision } = await storeOf().put(sampleVoice('anna', 1), 'create');
      expect(await storeOf().addEncodings('anna', revision, [encoding, { ...encoding, fingerprint: 'two' }])).toBe(
        true,
      );
      const voice = await storeOf().get('anna');
      expect(voice?.revision).toBe(revision);
      expect(voice?.encodings.map(({ fingerprint, patches }) => `${fingerprint} ${patches[0]}`)).toEqual([
        'one 7',
        'two 7',
      ]);
    });

    it('ignores a voice that was replaced or removed meanwhile', async () => {
      const { revision } = await storeOf().put(sampleVoice('anna', 1), 'create');
      await storeOf().put(sampleVoice('anna', 2), 'replace');
      expect(await storeOf().addEncodings('anna', revision, [encoding])).toBe(false);
      expect((await storeOf().get('anna'))?.encodings[0]?.patches[0]).toBe(2);
      await storeOf().remove('anna');
      expect(await storeOf().addEncodings('anna', revision, [encoding])).toBe(false);
    });
  });
}
