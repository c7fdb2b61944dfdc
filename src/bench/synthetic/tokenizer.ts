/** A tokenizer of the published kind (SentencePiece-like BPE with byte fallback) and size. */

const specials: Readonly<Record<number, string>> = {
  0: '<unk>',
  1: '<s>',
  2: '</s>',
  101: '<|audio_start|>',
  102: '<|audio_end|>',
  103: '<|audio_prompt_start|>',
  104: '<|audio_prompt_end|>',
};

const firstByteToken = 110;
const characters = ['▁', ...Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))];

/** Word pieces that give English about as many tokens as the published vocabulary: 26 for the text of `svc bench`. */
const pieces =
  '▁The ▁the ▁qu ick ▁br own ▁fo ▁ju mp ▁o ver ▁la zy ▁do ▁ne ar ▁ri ▁ban ▁a ▁and ▁in ing ▁to ▁of re on er ▁is ▁that ▁w it';

/** Merges build each piece from left to right. */
const merges = [
  ...new Set(
    pieces.split(' ').flatMap((piece) => {
      const letters = [...piece];
      return letters.slice(1).map((letter, index) => `${letters.slice(0, index + 1).join('')} ${letter}`);
    }),
  ),
];

/** Contents by file name. */
export function tokenizerFiles(vocabularySize: number): Readonly<Record<string, unknown>> {
  const contents = Array.from({ length: vocabularySize }, (_, id) => specials[id] ?? `<|reserved_${id}|>`);
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const ordinary = [...bytes, ...characters, ...merges.map((merge) => merge.replace(' ', ''))];
  for (const [index, piece] of ordinary.entries()) contents[firstByteToken + index] = piece;
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  const added = Object.entries(specials).map(([id, content]) => ({ id: Number(id), content, ...flags }));
  const names = { bos_token: '<s>', eos_token: '</s>', unk_token: '<unk>' };
  return {
    'tokenizer.json': {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: added,
      normalizer: {
        type: 'Sequence',
        normalizers: [
          { type: 'Prepend', prepend: '▁' },
          { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
        ],
      },
      pre_tokenizer: null,
      post_processor: null,
      decoder: {
        type: 'Sequence',
        decoders: [
          { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
          { type: 'ByteFallback' },
          { type: 'Fuse' },
          { type: 'Strip', content: ' ', start: 1, stop: 0 },
        ],
      },
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: '<unk>',
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: true,
        byte_fallback: true,
        ignore_merges: false,
        vocab: Object.fromEntries(contents.map((content, id) => [content, id])),
        merges,
      },
    },
    'tokenizer_config.json': {
      tokenizer_class: 'LlamaTokenizerFast',
      add_bos_token: true,
      add_eos_token: false,
      legacy: true,
      clean_up_tokenization_spaces: false,
      ...names,
      added_tokens_decoder: Object.fromEntries(added.map(({ id, ...token }) => [id, token])),
    },
    'special_tokens_map.json': names,
  };
}
