/**
 * The tokenizer files of a checkpoint as one `tokenizer.json`.
 *
 * The official code loads every checkpoint as `LlamaTokenizer`, which takes vocabulary and merges from
 * `tokenizer.json`, and added tokens and the handling of spaces from `tokenizer_config.json`. This follows release 5 of
 * transformers. (Release 4 applied the normalizer of `tokenizer.json` instead, and so had one more `▁` before text that
 * starts with a space.) `add_bos_token` and `add_eos_token` change nothing, as the model is given tokens without them.
 */
import { z } from 'zod';
import { attempt, SvcError } from '../../errors.ts';

/** The text of each file; missing optional files are empty objects. */
export interface TokenizerFiles {
  readonly tokenizer: string;
  readonly tokenizerConfig: string;
  readonly specialTokensMap: string;
}

const tokenId = z.int().min(0).max(0x7fffffff);
const flag = z.boolean().nullish();

const flags = { single_word: flag, lstrip: flag, rstrip: flag, normalized: flag, special: flag };
const addedToken = z.object({ content: z.string(), ...flags });
type AddedToken = z.output<typeof addedToken>;

const specialToken = z.union([z.string().transform((content): AddedToken => ({ content })), addedToken]);

const tokenizerSchema = z.looseObject({
  added_tokens: z.array(addedToken.extend({ id: tokenId })).default([]),
  model: z.looseObject({ type: z.literal('BPE').default('BPE'), vocab: z.record(z.string(), tokenId) }),
});

const specialTokens = z.array(specialToken).nullish().catch(null);
const mapSchema = z.object({
  bos_token: specialToken.nullish(),
  eos_token: specialToken.nullish(),
  unk_token: specialToken.nullish(),
  sep_token: specialToken.nullish(),
  pad_token: specialToken.nullish(),
  cls_token: specialToken.nullish(),
  mask_token: specialToken.nullish(),
  // Lists; an object here names tokens for other models.
  extra_special_tokens: specialTokens,
  additional_special_tokens: specialTokens,
});

const configSchema = z.object({
  legacy: flag,
  add_prefix_space: flag,
  added_tokens_decoder: z.record(z.string().regex(/^\d{1,9}$/), addedToken).nullish(),
});

const defaultTokens = {
  bos_token: { content: '<s>' },
  eos_token: { content: '</s>' },
  unk_token: { content: '<unk>' },
};

function parse<Output>(schema: z.ZodType<Output>, json: string, file: string): Output {
  const value = attempt((): unknown => JSON.parse(json));
  if (value === undefined) throw new SvcError('MODEL_INVALID', `${file} is not valid JSON`);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SvcError('MODEL_INVALID', `${file} is not a BPE tokenizer: ${issue?.path.join('.')} is invalid`);
}

/**
 * The text of `tokenizer.json` with added tokens and the handling of spaces as they apply.
 *
 * @throws SvcError MODEL_INVALID for files that `LlamaTokenizer` does not load
 */
export function resolveTokenizer({ tokenizer, tokenizerConfig, specialTokensMap }: TokenizerFiles): string {
  const file = parse(tokenizerSchema, tokenizer, 'tokenizer.json');
  const config = parse(configSchema, tokenizerConfig, 'tokenizer_config.json');
  const declared = config.added_tokens_decoder;
  // The other files count only without this field.
  const map = {
    ...defaultTokens,
    ...parse(mapSchema, tokenizerConfig, 'tokenizer_config.json'),
    ...(declared ? {} : parse(mapSchema, specialTokensMap, 'special_tokens_map.json')),
  };
  const listed = declared
    ? Object.entries(declared).map(([id, token]) => ({ ...token, id: Number(id) }))
    : file.added_tokens;
  const { extra_special_tokens, additional_special_tokens, ...fields } = map;
  const named = Object.values(fields).filter((token) => token !== null && token !== undefined);
  const names = new Set(named.map(({ content }) => content));
  const special = [...named, ...(extra_special_tokens ?? []), ...(additional_special_tokens ?? [])];
  const tokens = [
    ...[...listed]
      .sort((one, other) => one.id - other.id)
      .map((token) => ({ ...token, special: token.special === true || names.has(token.content) })),
    ...special.map((token) => ({ ...token, special: true })),
  ];
  const prependScheme = config.legacy ? 'always' : 'first';
  return JSON.stringify({
    ...file,
    added_tokens: withIds(tokens, file.model.vocab),
    normalizer: null,
    pre_tokenizer: {
      type: 'Metaspace',
      replacement: '▁',
      prepend_scheme: config.add_prefix_space === false ? 'never' : prependScheme,
      split: false,
    },
  });
}

/** Ids as the `tokenizers` library gives them: those of the vocabulary, else the next ones. */
function withIds(
  tokens: readonly (AddedToken & { readonly special: boolean })[],
  vocab: Readonly<Record<string, number>>,
) {
  const added = new Map<string, AddedToken & { readonly id: number }>();
  let next = Object.keys(vocab).length;
  for (const { content, special, ...token } of tokens) {
    if (content === '' || added.has(content)) continue;
    const own = Object.hasOwn(vocab, content) ? vocab[content] : undefined;
    const id = own ?? next;
    next = Math.max(next, id + 1);
    added.set(content, {
      id,
      content,
      single_word: token.single_word ?? false,
      lstrip: token.lstrip ?? false,
      rstrip: token.rstrip ?? false,
      normalized: token.normalized ?? !special,
      special,
    });
  }
  return [...added.values()].sort((one, other) => one.id - other.id);
}
