/** Finds the option or command that people mean who know another program. */
import type { Command } from 'commander';

/** Reads lines of `WORDS: MEANINGS`, words with spaces between them, meanings with commas. */
const meaningsOf = (lines: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    lines
      .trim()
      .split('\n')
      .map((line) => line.trim().split(': ') as [string, string])
      .flatMap(([words, meanings]) => words.split(' ').map((word) => [word, meanings.split(', ')] as const)),
  );

/** Names of options in other programs, without hyphens in front; the candidates that a command lacks are not shown. */
const otherOptions = meaningsOf(`
  a: prompt-audio, audio
  address bind ip: host
  audio-format codec container file-format: response-format
  b cuda device gpu: backend
  d: output-dir, backend
  debug: verbose, log-level
  dictionary pronunciation pronunciations: lexicon
  dir: output-dir, voice-dir
  emotion instruct instructions style: control
  f: format, response-format, text-file, input
  format: format, response-format
  guidance guidance-scale: cfg-value
  i input-file: input, text-file
  infile: text-file, input
  input: text-file
  j: json
  l: language, list
  lang locale: language
  listen: host, port
  m: model
  num-steps steps: inference-timesteps, timesteps
  o out: output, output-dir
  outfile stdout wav: output
  output-format output-type: response-format, format
  p: port, play
  processors: threads
  prompt: prompt-audio, control
  q silent: quiet
  quantization-type quantize: type
  r rate speaking-rate tempo: speed
  ref-audio: reference-audio, prompt-audio
  ref-text: prompt-text
  s: seed, speed
  speaker spk: voice
  speaker-wav: prompt-audio, reference-audio
  srt subtitles vtt: captions
  t: text, threads
  transcript: prompt-text, text
  v: version, voice, verbose
  volume: loudness
  workers: threads, max-batch`);

/** Names of subcommands in other programs; those that a command lacks are not shown. */
const otherCommands = meaningsOf(`
  add download get: pull
  create import new: add
  del delete erase rm uninstall unlink: remove
  install: pull, add
  ls show: list`);

/** Words that people try as commands of svc itself. */
const otherTopics = meaningsOf(`
  delete del remove rm uninstall: svc voices remove, svc models remove
  list ls: svc voices list, svc models list
  pull download install get: svc models pull
  say speak synthesize synth: tts
  server start run web api: serve
  convert quantize: export
  check: doctor
  info: inspect
  usage: help
  version: svc --version`);

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
  const named = [name, ...(otherOptions.get(name) ?? [])].filter((flag) => known.includes(flag));
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
  if (parent === null) return otherTopics.get(word) ?? [];
  return (otherCommands.get(word) ?? []).filter((name) => commands.some((command) => command.name() === name));
}
