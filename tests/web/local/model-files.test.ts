import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { manifestName } from '../../../src/engine/backends/onnx/manifest.ts';
import type { FileStore } from '../../../src/web/local/file-store.ts';
import { openModelFiles, type Received } from '../../../src/web/local/model-files.ts';

const address = 'http://site.test/models/one/';
const graph = new Uint8Array(100_000).map((_, at) => at % 251);
const tokenizer = new TextEncoder().encode('{"model":{}}');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const files = {
  'flow.onnx': { bytes: graph.length, sha256: sha256(graph) },
  'tokenizer.json': { bytes: tokenizer.length, sha256: sha256(tokenizer) },
};

const manifest = {
  ...{ format: 'svc-onnx', version: 1, name: 'one', architecture: 'voxcpm', patchSize: 2, featureDim: 32 },
  ...{ encodeHop: 640, decodeHop: 640, inputSampleRate: 16_000, outputSampleRate: 16_000 },
  ...{ maxLength: 100, vocabularySize: 100, types: { lm: 'f32', dit: 'f32', vae: 'f32' }, limits: {} },
  languageModels: { file: 'language_models.onnx', layers: 1, kvHeads: 1, headDim: 2 },
  flow: { file: 'flow.onnx', isMeanMode: false },
  schedule: { file: 'schedule.onnx' },
  vaeEncoder: { file: 'vae_encoder.onnx', states: [] },
  vaeDecoder: { file: 'vae_decoder.onnx', states: [], isConditioned: false },
  tokenizer: 'tokenizer.json',
  files,
};

/** Answers of the site by file. */
let site: Record<string, () => Response>;
let asked: string[];
let kept: Map<string, Uint8Array<ArrayBuffer>>;

beforeEach(() => {
  asked = [];
  kept = new Map();
  site = {
    [manifestName]: () => new Response(JSON.stringify(manifest)),
    'flow.onnx': () => new Response(graph),
    'tokenizer.json': () => new Response(tokenizer),
  };
});

const request: typeof fetch = async (input) => {
  const name = String(input).slice(address.length);
  asked.push(name);
  return site[name]?.() ?? new Response('', { status: 404 });
};

const store: FileStore = {
  get: async (hash) => kept.get(hash),
  put: async (hash, bytes) => void kept.set(hash, bytes),
  size: async () => 0,
  clear: async () => kept.clear(),
};

/** A body that ends or fails after some bytes. */
const cut = (bytes: number, how: 'ends' | 'breaks'): Response =>
  new Response(
    new ReadableStream({
      pull(controller) {
        if (bytes === 0 && how === 'breaks') return controller.error(new TypeError('network error'));
        if (bytes === 0) return controller.close();
        controller.enqueue(graph.subarray(0, bytes));
        bytes = 0;
      },
    }),
  );

describe('model files', () => {
  it('are downloaded once and cached', async () => {
    const received: Received[] = [];
    const options = { fetch: request, store, onReceived: (report: Received) => void received.push(report) };
    const first = await openModelFiles(address, options);
    expect(await first.read('flow.onnx')).toEqual(graph);
    expect(await first.readText('tokenizer.json')).toBe('{"model":{}}');
    expect(received.at(-1)).toEqual({ done: 100_012, total: 100_012, from: 'network' });
    const second = await openModelFiles(address, options);
    expect(await second.read('flow.onnx')).toEqual(graph);
    expect(received.at(-1)).toEqual({ done: 100_000, total: 100_012, from: 'store' });
    expect(asked).toEqual([manifestName, 'flow.onnx', 'tokenizer.json', manifestName]);
  });

  it('work without a cache', async () => {
    const opened = await openModelFiles(address, { fetch: request });
    expect(await opened.read('flow.onnx')).toEqual(graph);
  });

  it('are downloaded again if the cache is corrupted', async () => {
    for (const damaged of [graph.subarray(0, 50_000), graph.map((byte) => byte ^ 1)]) {
      kept.set(files['flow.onnx'].sha256, new Uint8Array(damaged));
      const opened = await openModelFiles(address, { fetch: request, store });
      expect(await opened.read('flow.onnx')).toEqual(graph);
      expect(kept.get(files['flow.onnx'].sha256)).toEqual(graph);
    }
  });

  it.each<[string, () => Response, string, RegExp]>([
    ['a half one', () => cut(50_000, 'ends'), 'MODEL_INVALID', /damaged model file flow\.onnx: 50000 of 100000 bytes/],
    ['one that breaks off', () => cut(50_000, 'breaks'), 'NETWORK', /flow\.onnx: network error/],
    ['one of another length', () => new Response(new Uint8Array(100_001)), 'MODEL_INVALID', /more than 100000 bytes/],
    ['one with other bytes', () => new Response(graph.map((byte) => byte ^ 1)), 'MODEL_INVALID', /hash/],
    ['one that is not there', () => new Response('', { status: 404 }), 'MODEL_NOT_FOUND', /status 404/],
  ])('are not cached if the answer is %s', async (_, answer, code, message) => {
    site['flow.onnx'] = answer;
    const opened = await openModelFiles(address, { fetch: request, store });
    await expect(opened.read('flow.onnx')).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(kept.size).toBe(0);
  });

  it('stop downloading when nobody waits', async () => {
    const controller = new AbortController();
    const waiting: typeof fetch = async (input, init) => {
      if (String(input).endsWith(manifestName)) return request(input);
      controller.abort();
      init?.signal?.throwIfAborted();
      throw new Error('the request has no signal');
    };
    const opened = await openModelFiles(address, { fetch: waiting, store, signal: controller.signal });
    await expect(opened.read('flow.onnx')).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('a manifest', () => {
  it.each([
    ['is not there', () => new Response('', { status: 404 }), 'MODEL_NOT_FOUND'],
    ['is no JSON', () => new Response('<!doctype html>'), 'MODEL_INVALID'],
    ['lacks a field', () => new Response(JSON.stringify({ ...manifest, tokenizer: undefined })), 'MODEL_INVALID'],
    ['lacks hashes', () => new Response(JSON.stringify({ ...manifest, files: undefined })), 'MODEL_INVALID'],
  ])('that %s is refused', async (_, answer, code) => {
    site[manifestName] = answer;
    await expect(openModelFiles(address, { fetch: request })).rejects.toMatchObject({ code });
  });

  it("defines the model's files", async () => {
    const opened = await openModelFiles(address, { fetch: request });
    await expect(opened.read('../../secret.json')).rejects.toMatchObject({ code: 'MODEL_INVALID' });
    expect(asked).toEqual([manifestName]);
  });
});
