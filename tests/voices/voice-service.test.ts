import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Audio } from '../../src/audio/audio.ts';
import { encoderFingerprint } from '../../src/voices/encoder-fingerprint.ts';
import { openSqliteVoiceStore } from '../../src/voices/sqlite-store.ts';
import { addVoice, findVoice, loadVoice } from '../../src/voices/voice-service.ts';
import type { VoiceStore } from '../../src/voices/voice-store.ts';
import type { FakeOptions } from '../engine/fake-backend.ts';
import { expectError, expectErrorWith } from '../support/errors.ts';
import { freshFolder } from '../support/test-folder.ts';
import { encodingEngine } from './encoding-engine.ts';
import { storeIn } from './sample-voice.ts';

let store: VoiceStore;

afterEach(() => store.close());
const folder = freshFolder();
beforeEach(async () => {
  store = await openSqliteVoiceStore(storeIn(folder.path));
});

const audio: Audio = { samples: new Float32Array(10).fill(0.25), sampleRate: 16_000, channels: 1 };
const anna = { id: 'anna', audio, text: ' What she says. ' };

const model2: FakeOptions = { info: { name: 'fake 2', architecture: 'voxcpm2' } };
const first = () => encodingEngine([1, 2, 3]);
const second = () => encodingEngine([3, 2, 1], { info: { name: 'other' } });

const frames = (count: number, frame: readonly number[]): Float32Array =>
  Float32Array.from({ length: count * frame.length }, (_, index) => frame[index % frame.length] as number);

describe('addVoice', () => {
  it('encodes a recording and stores it', async () => {
    const { engine } = first();
    const record = await addVoice(engine, store, anna);
    expect(record).toMatchObject({ id: 'anna', text: 'What she says.', roles: ['prompt'], recording: { kept: true } });
    expect(record.encodings).toEqual([
      {
        ...{ role: 'prompt', fingerprint: expect.stringMatching(/^voxcpm\//), model: 'fake' },
        ...{ sampleRate: 16_000, patchCount: 3, patchSize: 2, featureDim: 3 },
      },
    ]);
    expect((await store.get('anna'))?.encodings[0]?.patches).toEqual(frames(6, [1, 2, 3]));
    expect(await store.recording('anna', record.revision)).toEqual(audio);
  });

  it('encodes a voice with both roles for both', async () => {
    const { engine } = encodingEngine([1, 2, 3], model2);
    const { roles, encodings } = await addVoice(engine, store, { ...anna, roles: ['reference', 'prompt'] });
    expect(roles).toEqual(['prompt', 'reference']);
    expect(encodings.map(({ role }) => role)).toEqual(['prompt', 'reference']);
  });

  it('discards the recording on request', async () => {
    const record = await addVoice(first().engine, store, anna, { keepRecording: 'discard' });
    expect(record.recording).toEqual({ sampleRate: 16_000, sampleCount: 10, kept: false });
    expect(await store.recording('anna', record.revision)).toBeUndefined();
  });

  it('refuses a name that is taken before encoding, except to replace it', async () => {
    const { engine, backend } = first();
    await addVoice(engine, store, anna);
    const calls = backend.log.length;
    await expect(addVoice(engine, store, { ...anna, text: 'new' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(backend.log.length).toBe(calls);
    expect(await addVoice(engine, store, { ...anna, text: 'new' }, { mode: 'replace' })).toMatchObject({ text: 'new' });
  });

  it.each([
    ['a prompt without transcript', { text: '  ' }, 'a prompt voice needs the transcript of its recording'],
    ['no role', { roles: [] }, 'a voice must be a prompt, a reference or both'],
    ['a reference for model 1', { roles: ['reference'] }, 'a reference voice needs a VoxCPM 2 model'],
    ['no name', { id: undefined as never }, 'id is required'],
    ['no audio', { audio: undefined as never }, 'audio is required'],
    ['unknown roles', { roles: ['singer' as never] }, 'item 1 of roles must be one of prompt, reference, got "singer"'],
    ['a name that is none', { id: '../x' }, 'a voice name must be '],
    ['silence of no length', { audio: { ...audio, samples: new Float32Array() } }, 'samples'],
    ['more than the model takes', { audio: { ...audio, samples: new Float32Array(5000) } }, 'at most 0 seconds long'],
  ] as const)('refuses %s, and stores nothing', async (_, change, message) => {
    const recording = { ...anna, ...change };
    await expectErrorWith(addVoice(first().engine, store, recording), 'INVALID_REQUEST', message);
    expect(await store.list()).toEqual([]);
  });

  it('stores nothing when canceled, or when the engine fails', async () => {
    const controller = new AbortController();
    const { engine } = encodingEngine([1], { onCall: () => controller.abort() });
    const added = addVoice(engine, store, anna, { signal: controller.signal });
    await expect(added).rejects.toMatchObject({ code: 'CANCELLED' });
    const onCall = (): void => {
      throw Object.assign(new Error('full'), { code: 'OUT_OF_MEMORY' });
    };
    const broken = encodingEngine([1], { onCall });
    await expect(addVoice(broken.engine, store, anna)).rejects.toMatchObject({ code: 'OUT_OF_MEMORY' });
    expect(await store.list()).toEqual([]);
  });

  it('gives the name to one of two concurrent calls', async () => {
    const { engine } = first();
    const calls = ['one', 'two'].map((text) => addVoice(engine, store, { ...anna, text }));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await store.list()).toHaveLength(1);
  });
});

describe('findVoice', () => {
  it('finds a voice by any encoding of its name', async () => {
    await addVoice(first().engine, store, { ...anna, id: 'Zoe\u0308' });
    expect(await findVoice(store, 'Zo\u00eb')).toMatchObject({ id: 'Zo\u00eb' });
  });

  it('names a missing voice', async () => {
    await expectError(findVoice(store, 'bob'), 'VOICE_NOT_FOUND', 'unknown voice "bob"');
    await expect(findVoice(store, 'a/b')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('loadVoice', () => {
  it('returns the stored encoding without encoding again', async () => {
    await addVoice(first().engine, store, anna);
    const { engine, backend } = first();
    expect(await loadVoice(engine, store, 'anna')).toEqual({
      promptText: 'What she says.',
      promptAudio: { role: 'prompt', patches: frames(6, [1, 2, 3]) },
    });
    // Only the measurement of the encoder's fingerprint.
    expect(backend.log).toEqual(['encode']);
  });

  it('returns fields for a request', async () => {
    const { engine, backend } = encodingEngine([1, 2, 3]);
    await addVoice(engine, store, anna);
    const speech = await engine.synthesize({ text: 'hello', ...(await loadVoice(engine, store, 'anna')) });
    expect(speech.samples.length).toBeGreaterThan(0);
    expect([...(backend.prefixes[0]?.audioMask ?? [])].filter((mask) => mask === 1)).toHaveLength(3);
  });

  it('encodes the recording once for a model with another encoder, and keeps both', async () => {
    await addVoice(first().engine, store, anna);
    const { engine, backend } = second();
    const expected = { role: 'prompt', patches: frames(6, [3, 2, 1]) };
    expect(await loadVoice(engine, store, 'anna')).toMatchObject({ promptAudio: expected });
    expect(await loadVoice(engine, store, 'anna')).toMatchObject({ promptAudio: expected });
    expect(backend.log).toEqual(['encode', 'encode']);
    const { encodings } = await findVoice(store, 'anna');
    expect(encodings.map(({ model }) => model).sort()).toEqual(['fake', 'other']);
  });

  it('refuses a voice of another model without a stored recording', async () => {
    await addVoice(first().engine, store, anna, { keepRecording: 'discard' });
    await expectError(
      loadVoice(second().engine, store, 'anna'),
      'CONFLICT',
      'voice "anna" is encoded for fake, not for other, and its recording was not kept; add it again with this model',
    );
  });

  it('accepts patches of an encoder that differs in the last digits', async () => {
    await addVoice(first().engine, store, anna, { keepRecording: 'discard' });
    const { engine } = encodingEngine([1.001, 1.999, 3.003], { info: { name: 'q8_0' } });
    expect(await loadVoice(engine, store, 'anna')).toMatchObject({ promptAudio: { patches: frames(6, [1, 2, 3]) } });
  });

  it('returns prompt and reference for VoxCPM 2, only the prompt for VoxCPM 1', async () => {
    await addVoice(encodingEngine([1, 2, 3], model2).engine, store, { ...anna, roles: ['prompt', 'reference'] });
    const both = await loadVoice(encodingEngine([1, 2, 3], model2).engine, store, 'anna');
    expect(Object.keys(both)).toEqual(['promptAudio', 'promptText', 'referenceAudio', 'voiceLexicon', 'voiceLanguage']);
    expect(both.referenceAudio).toEqual({ role: 'reference', patches: frames(6, [1, 2, 3]) });
    const prompt = await loadVoice(first().engine, store, 'anna');
    expect(prompt.promptAudio).toMatchObject({ role: 'prompt' });
    expect([prompt.promptText, prompt.referenceAudio]).toEqual([both.promptText, undefined]);
  });

  it('returns a reference, and refuses it for VoxCPM 1', async () => {
    const { text: _, ...silent } = anna;
    await addVoice(encodingEngine([1, 2, 3], model2).engine, store, { ...silent, roles: ['reference'] });
    const voice = await loadVoice(encodingEngine([1, 2, 3], model2).engine, store, 'anna');
    expect(Object.keys(voice)).toEqual(['referenceAudio', 'voiceLexicon', 'voiceLanguage']);
    const refused = loadVoice(first().engine, store, 'anna');
    await expectError(refused, 'INVALID_REQUEST', 'a reference voice needs a VoxCPM 2 model; "fake" is not one');
  });

  describe('of a voice that is replaced concurrently', () => {
    const louder = { ...anna, audio: { ...audio, samples: new Float32Array(20).fill(0.5) }, text: 'New.' };
    const replace = () => addVoice(first().engine, store, louder, { mode: 'replace' });

    it('returns the new one if the old one was not encoded yet', async () => {
      await addVoice(first().engine, store, anna);
      const { engine, backend } = second();
      const release = backend.hold();
      const loading = loadVoice(engine, store, 'anna');
      await backend.called(1);
      await replace();
      release();
      expect(await loading).toMatchObject({ promptText: 'New.', promptAudio: { patches: frames(10, [3, 2, 1]) } });
    });

    it('does not store an encoding of the old one', async () => {
      await addVoice(first().engine, store, anna);
      const { engine, backend } = second();
      await encoderFingerprint(engine);
      const release = backend.hold();
      const loading = loadVoice(engine, store, 'anna');
      await backend.called(2);
      await replace();
      release();
      expect(await loading).toMatchObject({ promptText: 'What she says.' });
      const { encodings } = await findVoice(store, 'anna');
      expect(encodings.map(({ model, patchCount }) => [model, patchCount])).toEqual([['fake', 5]]);
    });

    it('does not find it once removed', async () => {
      await addVoice(first().engine, store, anna);
      const { engine, backend } = second();
      const release = backend.hold();
      const loading = loadVoice(engine, store, 'anna');
      await backend.called(1);
      await store.remove('anna');
      release();
      await expect(loading).rejects.toMatchObject({ code: 'VOICE_NOT_FOUND' });
    });
  });
});
