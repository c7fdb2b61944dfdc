/** Finds the option or command that people mean who know another program. */
import type { Command } from 'commander';

/** Names of options in other programs, without hyphens in front; the candidates that a command lacks are not shown. */
const otherOptions: Readonly<Record<string, readonly string[] | undefined>> = {
  __proto__: null as never,
  a: ['prompt-audio', 'audio'],
  b: ['backend'],
  d: ['output-dir', 'backend'],
  f: ['format', 'response-format', 'text-file', 'input'],
  i: ['input', 'text-file'],
  j: ['json'],
  l: ['language', 'list'],
  m: ['model'],
  o: ['output', 'output-dir'],
  p: ['port', 'play'],
  q: ['quiet'],
  r: ['speed'],
  s: ['seed', 'speed'],
  t: ['text', 'threads'],
  v: ['version', 'voice', 'verbose'],
  address: ['host'],
  'audio-format': ['response-format'],
  bind: ['host'],
  codec: ['response-format'],
  container: ['response-format'],
  cuda: ['backend'],
  debug: ['verbose', 'log-level'],
  device: ['backend'],
  dictionary: ['lexicon'],
  dir: ['output-dir', 'voice-dir'],
  emotion: ['control'],
  'file-format': ['response-format'],
  format: ['format', 'response-format'],
  gpu: ['backend'],
  guidance: ['cfg-value'],
  'guidance-scale': ['cfg-value'],
  infile: ['text-file', 'input'],
  input: ['text-file'],
  'input-file': ['input', 'text-file'],
  instruct: ['control'],
  instructions: ['control'],
  ip: ['host'],
  lang: ['language'],
  listen: ['host', 'port'],
  locale: ['language'],
  'num-steps': ['inference-timesteps', 'timesteps'],
  out: ['output', 'output-dir'],
  outfile: ['output'],
  'output-format': ['response-format', 'format'],
  'output-type': ['response-format', 'format'],
  processors: ['threads'],
  prompt: ['prompt-audio', 'control'],
  pronunciation: ['lexicon'],
  pronunciations: ['lexicon'],
  'quantization-type': ['type'],
  quantize: ['type'],
  rate: ['speed'],
  'ref-audio': ['reference-audio', 'prompt-audio'],
  'ref-text': ['prompt-text'],
  silent: ['quiet'],
  speaker: ['voice'],
  'speaker-wav': ['prompt-audio', 'reference-audio'],
  'speaking-rate': ['speed'],
  spk: ['voice'],
  srt: ['captions'],
  steps: ['inference-timesteps', 'timesteps'],
  stdout: ['output'],
  style: ['control'],
  subtitles: ['captions'],
  tempo: ['speed'],
  transcript: ['prompt-text', 'text'],
  volume: ['loudness'],
  vtt: ['captions'],
  wav: ['output'],
  workers: ['threads', 'max-batch'],
};

/** Names of subcommands in other programs; those that a command lacks are not shown. */
const otherCommands: Readonly<Record<string, readonly string[] | undefined>> = {
  __proto__: null as never,
  create: ['add'],
  del: ['remove'],
  delete: ['remove'],
  download: ['pull'],
  erase: ['remove'],
  get: ['pull'],
  import: ['add'],
  install: ['pull', 'add'],
  add: ['pull'],
  ls: ['list'],
  new: ['add'],
  rm: ['remove'],
  show: ['list'],
  uninstall: ['remove'],
  unlink: ['remove'],
};

/** Words that people try as commands of svc itself. */
const otherTopics: Readonly<Record<string, readonly string[] | undefined>> = {
  __proto__: null as never,
  ...Object.fromEntries(
    ['delete', 'del', 'remove', 'rm', 'uninstall'].map((word) => [word, ['svc voices remove', 'svc models remove']]),
  ),
  ...Object.fromEntries(['list', 'ls'].map((word) => [word, ['svc voices list', 'svc models list']])),
  ...Object.fromEntries(['pull', 'download', 'install', 'get'].map((word) => [word, ['svc models pull']])),
  ...Object.fromEntries(['say', 'speak', 'synthesize', 'synth'].map((word) => [word, ['tts']])),
  ...Object.fromEntries(['server', 'start', 'run', 'web', 'api'].map((word) => [word, ['serve']])),
  ...Object.fromEntries(['convert', 'quantize'].map((word) => [word, ['export']])),
  check: ['doctor'],
  info: ['inspect'],
  usage: ['help'],
  version: ['svc --version'],
};

/** More would be no hint. */
const mostHints = 3;
/** Least letters of a word that abbreviates another. */
const shortestPrefix = 3;

/** The flag of `--flag=value`. */
export const withoutValue = (given: string): string => given.split('=', 1)[0] ?? given;

/**
 * Long flags of a command that a misspelled or foreign flag may mean: what other programs call it, else options that share its
 * words, such as `--prompt-audio` for `--audio` and `--output` for `--output-file`.
 */
export function similarFlags(given: string, { options }: Command): readonly string[] {
  const name = withoutValue(given).replace(/^--?/, '').replaceAll('_', '-').toLowerCase();
  const known = options.flatMap(({ long }) => (long ? [long.slice(2)] : []));
  const named = [name, ...(otherOptions[name] ?? [])].filter((flag) => known.includes(flag));
  const found = named.length > 0 ? named : sharingWords(name, known);
  return found.length > mostHints ? [] : found.map((flag) => `--${flag}`);
}

function sharingWords(name: string, known: readonly string[]): readonly string[] {
  if (name.length < shortestPrefix) return [];
  const words = name.split('-');
  const longer = known.filter((flag) => words.every((word) => flag.split('-').some((each) => abbreviates(word, each))));
  if (longer.length > 0) return longer;
  const shorter = known.filter((flag) => flag.split('-').every((word) => words.includes(word)));
  const beginnings = shorter.filter((flag) => name.startsWith(flag));
  return beginnings.length > 0 ? beginnings : shorter;
}

const abbreviates = (word: string, whole: string): boolean =>
  whole === word || (word.length >= shortestPrefix && whole.startsWith(word));

/** Subcommands that an unknown one may mean; below `svc` itself also whole command lines, which begin with `svc`. */
export function similarCommands(given: string, { commands, parent }: Command): readonly string[] {
  const word = given.toLowerCase();
  if (parent === null) return otherTopics[word] ?? [];
  return (otherCommands[word] ?? []).filter((name) => commands.some((command) => command.name() === name));
}
