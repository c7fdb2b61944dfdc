/**
 * The tokenizer of a model, from its metadata: `LlamaTokenizer` of transformers 5, and the splitting of Han characters
 * of the official code. `@huggingface/tokenizers` implements byte-pair merging and byte fallback.
 */
import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';
import { SvcError } from '../../errors.ts';
import type { MetadataValue } from '../backend.ts';
import { addedTokenSplitter } from './added-tokens.ts';

export interface Tokenizer {
  /** Encodes a text without BOS, EOS and the audio-start token, which the prefix appends. */
  encode(text: string): Int32Array;
  /** For each token of `encode(text)`, the index of the first character of the text that it stands for, except space. */
  startsOf(text: string): Int32Array;
  /** How a character is encoded: by its own token, by its bytes, or by the unknown token. */
  tokensOf(character: string): 'own' | 'bytes' | 'unknown';
}

const maxTokenId = 0x7fffffff;
const tokenId = z.int().min(0).max(maxTokenId);

type Merge = string | readonly [string, string];

const isTokenId = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokenId;

const isMerge = (value: unknown): boolean =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.length === 2 && value.every((token) => typeof token === 'string'));

const badIds = `must map tokens to ids from 0 to ${maxTokenId}`;

/**
 * Checks the many merges without a copy. Listing the properties of the vocabulary takes as long as half of parsing it,
 * so `build` checks the ids in the library's map.
 */
const vocabularySchema = z.object({
  vocab: z.custom<Readonly<Record<string, number>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    badIds,
  ),
  merges: z
    .custom<readonly Merge[]>((value) => Array.isArray(value) && value.every(isMerge), 'must be pairs of tokens')
    .default([]),
  unk_token: z.string().nullish(),
});

const flag = z.boolean().optional();

const addedTokensSchema = z
  .array(
    z.object({
      id: tokenId,
      content: z.string().min(1),
      single_word: flag,
      lstrip: flag,
      rstrip: flag,
      normalized: flag,
    }),
  )
  .default([]);

/** Where `▁` is put before text that doesn't start with a space: each piece between added tokens, the text, nowhere. */
const prependScheme = z.enum(['always', 'first', 'never']);

const huggingFaceSchema = z.object({
  model: vocabularySchema,
  added_tokens: addedTokensSchema,
  // Others are replaced by `LlamaTokenizer`.
  pre_tokenizer: z
    .object({ type: z.literal('Metaspace'), prepend_scheme: prependScheme })
    .nullish()
    .catch(null),
});

type Definition = z.infer<typeof huggingFaceSchema>;

/** GGUF token types that match literally anywhere in a text: UNKNOWN, CONTROL and USER_DEFINED. */
const addedTypes = new Set([2, 3, 4]);

type Metadata = (key: string) => MetadataValue | undefined;

/**
 * Reads `tokenizer.huggingface.json` (the text of `tokenizer.json`), else the `tokenizer.ggml.*` arrays written by
 * VoxCPM.cpp's converter.
 *
 * @throws SvcError MODEL_INVALID if the tokenizer is missing or invalid
 */
export function createTokenizer(metadata: Metadata): Tokenizer {
  const json = metadata('tokenizer.huggingface.json');
  const definition = json === undefined ? fromGgml(metadata) : fromHuggingFace(json);
  const library = build(definition.model);
  const split = addedTokenSplitter(definition.added_tokens);
  const addedIds = new Map(definition.added_tokens.map(({ content, id }) => [content, id]));
  const idOf = (piece: string): number | undefined => addedIds.get(piece) ?? library.token_to_id(piece);
  const unknown = idOf(definition.model.unk_token ?? '<unk>');
  if (unknown === undefined) throw invalid('the unknown token is missing');
  const scheme = definition.pre_tokenizer?.prepend_scheme ?? 'always';
  const tokenize = (text: string): readonly string[] =>
    split(text).flatMap(({ content, start, isToken }) => {
      // As in the official code, white space that it took makes it the unknown token.
      if (isToken) return [content];
      const spaced = content.replaceAll(' ', '▁');
      const prepends = scheme === 'always' || (scheme === 'first' && start === 0);
      return library.tokenize(prepends && !spaced.startsWith('▁') ? `▁${spaced}` : spaced);
    });
  const piecesOf = (text: string): readonly string[] =>
    tokenize(text).flatMap((token) => (isSplit(token, idOf) ? [...token.replaceAll('▁', '')] : [token]));
  return {
    encode: (text) => Int32Array.from(piecesOf(text), (piece) => idOf(piece) ?? unknown),
    startsOf: (text) => findStarts(text, piecesOf(text)),
    tokensOf(character) {
      const tokens = tokenize(character);
      if (tokens.some((token) => (idOf(token) ?? unknown) === unknown)) return 'unknown';
      return tokens.some((token) => byteToken.test(token)) ? 'bytes' : 'own';
    },
  };
}

const invalid = (problem: string, cause?: unknown): SvcError =>
  new SvcError('MODEL_INVALID', `invalid tokenizer of the model: ${problem}`, { cause });

function fromHuggingFace(json: MetadataValue): Definition {
  if (typeof json !== 'string') throw invalid(`it must be JSON text, got a value of type ${typeof json}`);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw invalid('it is not valid JSON', error);
  }
  const result = huggingFaceSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(`${issue?.path.join('.')}: ${issue?.message}`, result.error);
}

function fromGgml(metadata: Metadata): Definition {
  const tokens = metadata('tokenizer.ggml.tokens');
  if (!isStrings(tokens) || tokens.length === 0) {
    throw invalid('tokenizer.huggingface.json and tokenizer.ggml.tokens are missing');
  }
  const merges = metadata('tokenizer.ggml.merges') ?? [];
  if (!isStrings(merges)) throw invalid('tokenizer.ggml.merges must be an array of strings');
  const types = metadata('tokenizer.ggml.token_type') ?? [];
  if (!Array.isArray(types)) throw invalid('tokenizer.ggml.token_type must be an array of numbers');
  const unknown = metadata('tokenizer.ggml.unknown_token_id');
  return {
    model: {
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: [...merges],
      unk_token: typeof unknown === 'number' ? tokens[unknown] : undefined,
    },
    added_tokens: tokens.flatMap((content, id) =>
      addedTypes.has(types[id] as number) && content !== '' ? [{ id, content }] : [],
    ),
    pre_tokenizer: {
      type: 'Metaspace',
      prepend_scheme: metadata('tokenizer.ggml.add_space_prefix') === false ? 'never' : 'always',
    },
  };
}

const isStrings = (value: MetadataValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function build(model: Definition['model']): HuggingFaceTokenizer {
  const merges = model.merges.map((merge) => (typeof merge === 'string' ? merge.split(' ') : merge));
  const broken = merges.findIndex((merge) => merge.length !== 2);
  if (broken !== -1) throw invalid(`merges must be pairs of tokens, got ${JSON.stringify(model.merges[broken])}`);
  const library = new HuggingFaceTokenizer(
    {
      normalizer: null,
      pre_tokenizer: null,
      model: {
        type: 'BPE',
        vocab: model.vocab,
        merges,
        unk_token: model.unk_token ?? '<unk>',
        fuse_unk: true,
        byte_fallback: true,
        ignore_merges: false,
      },
      post_processor: null,
      decoder: null,
      added_tokens: [],
    },
    {},
  );
  for (const id of library.model?.tokens_to_ids.values() ?? []) {
    if (!isTokenId(id)) throw invalid(`model.vocab: ${badIds}`);
  }
  return library;
}

const severalHanCharacters = /^[\u4e00-\u9fff]{2,}$/;

/**
 * Whether `mask_multichar_chinese_tokens` of the official `voxcpm/model/utils.py` splits a token into characters: if it,
 * without `▁`, is itself a token of several Han characters. As there, its `▁` is lost, and a character without a token
 * becomes the unknown token.
 */
function isSplit(token: string, idOf: (token: string) => number | undefined): boolean {
  const bare = token.replaceAll('▁', '');
  return severalHanCharacters.test(bare) && idOf(bare) !== undefined;
}

const encoder = new TextEncoder();
const byteToken = /^<0x[\dA-F]{2}>$/i;
/** How far the text of a token may be from the end of the one before, when an unknown one is between them. */
const searchReach = 16;

function findStarts(text: string, pieces: readonly string[]): Int32Array {
  let at = 0;
  let bytes = 0;
  return Int32Array.from(pieces, (piece) => {
    while (text[at] === ' ') at += 1;
    if (byteToken.test(piece)) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      const start = at;
      bytes += 1;
      if (bytes >= encoder.encode(character).length) {
        at += character.length;
        bytes = 0;
      }
      return start;
    }
    const written = piece.replaceAll('▁', ' ').trim();
    const found = text.slice(at, at + searchReach + written.length).indexOf(written);
    const start = at + Math.max(0, found);
    if (found !== -1) at = start + written.length;
    return start;
  });
}
