/** Converts `tokenizer.json` to GGUF metadata: the token table for other programs, and the whole file for ours. */
import { z } from 'zod';
import type { TokenizerFiles } from '../../src/engine/text/tokenizer-files.ts';
import { SvcError } from '../../src/errors.ts';
import { parseJson } from '../checkpoint.ts';
import { type MetadataEntry, text, texts, u32 } from './metadata.ts';

const identifier = z.number().int().min(0);
const addedToken = z.object({ id: identifier, content: z.string(), special: z.boolean().default(true) });

const tokenizerSchema = z.object({
  pre_tokenizer: z.object({ prepend_scheme: z.string() }).nullish().catch(null),
  added_tokens: z.array(addedToken).default([]),
  model: z.object({
    type: z.literal('BPE').default('BPE'),
    vocab: z.record(z.string(), identifier),
    // Older tokenizers join both halves with a space, newer ones list them; character tokenizers have none.
    merges: z.array(z.union([z.string(), z.tuple([z.string(), z.string()])])).nullish(),
  }),
});

const specialToken = z.union([z.string(), z.object({ content: z.string() }).transform((token) => token.content)]);
const specialTokensSchema = z.object({
  bos_token: specialToken.nullish(),
  eos_token: specialToken.nullish(),
  unk_token: specialToken.nullish(),
  add_bos_token: z.boolean().nullish(),
  add_eos_token: z.boolean().nullish(),
});

/** `enum llama_token_type`. */
const tokenKinds = { normal: 1, control: 3, userDefined: 4, unused: 5 } as const;

function parse<Schema extends z.ZodType>(schema: Schema, json: string, file: string): z.output<Schema> {
  const parsed = schema.safeParse(parseJson(json, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SvcError('MODEL_INVALID', `${file} is not a BPE tokenizer: ${issue?.path.join('.')} is invalid`);
}

const flag = (key: string, value: boolean | null | undefined): MetadataEntry[] =>
  typeof value === 'boolean' ? [[key, { type: 'bool', value }]] : [];

/**
 * The metadata of the tokenizer; ids without a token become `[PAD<id>]`, like in VoxCPM.cpp's converter.
 *
 * @throws SvcError MODEL_INVALID for a file that `LlamaTokenizerFast` does not load
 */
export function tokenizerMetadata(files: TokenizerFiles, vocabularySize: number): MetadataEntry[] {
  const tokenizer = parse(tokenizerSchema, files.tokenizer, 'tokenizer.json');
  const config = parse(specialTokensSchema, files.tokenizerConfig, 'tokenizer_config.json');
  const map = parse(specialTokensSchema, files.specialTokensMap, 'special_tokens_map.json');
  const ids = new Map(Object.entries(tokenizer.model.vocab));
  for (const { id, content } of tokenizer.added_tokens) ids.set(content, id);
  const contents = new Map([...ids].map(([content, id]) => [id, content]));
  const added = new Map(tokenizer.added_tokens.map(({ content, special }) => [content, special]));
  const kindOf = (content: string | undefined): number => {
    if (content === undefined) return tokenKinds.unused;
    const special = added.get(content);
    if (special === undefined) return tokenKinds.normal;
    return special ? tokenKinds.control : tokenKinds.userDefined;
  };
  const range = Array.from({ length: vocabularySize }, (_, id) => id);
  // The fallback names of `LlamaTokenizerFast`.
  const specialId = (key: 'bos_token' | 'eos_token' | 'unk_token', fallback: string): number =>
    ids.get(config[key] ?? map[key] ?? fallback) ?? 0;
  return [
    ['tokenizer.ggml.model', text('gpt2')],
    ['tokenizer.ggml.pre', text('default')],
    ['tokenizer.ggml.tokens', texts(range.map((id) => contents.get(id) ?? `[PAD${id}]`))],
    ['tokenizer.ggml.token_type', { type: 'i32[]', value: range.map((id) => kindOf(contents.get(id))) }],
    [
      'tokenizer.ggml.merges',
      texts((tokenizer.model.merges ?? []).map((merge) => (typeof merge === 'string' ? merge : merge.join(' ')))),
    ],
    ['tokenizer.ggml.bos_token_id', u32(specialId('bos_token', '<s>'))],
    ['tokenizer.ggml.eos_token_id', u32(specialId('eos_token', '</s>'))],
    ['tokenizer.ggml.unknown_token_id', u32(specialId('unk_token', '<unk>'))],
    // For other programs; the model is given tokens without them.
    ...flag('tokenizer.ggml.add_bos_token', config.add_bos_token),
    ...flag('tokenizer.ggml.add_eos_token', config.add_eos_token),
    ...flag('tokenizer.ggml.add_space_prefix', tokenizer.pre_tokenizer?.prepend_scheme !== 'never'),
    ['tokenizer.huggingface.json', text(files.tokenizer)],
  ];
}
