/** Options for where speech goes, and what is printed. */
import { Option } from 'commander';
import { type AudioFormatName, audioFormatNames } from '../../audio/encode/format.ts';
import { type SampleFormat, sampleFormats } from '../../audio/encode/wav-encode.ts';
import { type LoudnessTarget, parseLoudness, truePeakRange } from '../../audio/loudness/loudness-target.ts';
import { ranges } from '../../engine/request-fields.ts';
import type { Range } from '../../validation.ts';
import { type Described, grouped, nameOption, numberOption } from './option-values.ts';

export interface OutputOptions {
  readonly output?: string | undefined;
  readonly responseFormat?: AudioFormatName | undefined;
  readonly sampleFormat?: SampleFormat | undefined;
  readonly speed?: number | undefined;
  readonly captions?: string | undefined;
  readonly captionWords?: boolean | undefined;
  readonly loudness?: LoudnessTarget | undefined;
  /** In dB; overrides that of the loudness. */
  readonly truePeak?: number | undefined;
  /** In seconds. */
  readonly headSilence?: number | undefined;
  readonly tailSilence?: number | undefined;
  /** Picture of an audiobook; false for none. */
  readonly cover?: string | false | undefined;
  readonly json?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

export type PlaybackOptions = { readonly play?: boolean | undefined };

const silenceRange: Range = { kind: 'number', minimum: 0, maximum: 10 };

export const outputOptions = (): readonly Option[] =>
  grouped('Output:', [
    '-o, --output <file>: audio file to write, or - for standard output (default: play the speech)',
    '--play: play the speech; fail if this machine has no audio output',
    nameOption('--response-format', audioFormatNames, 'audio format', 'from the file name, or wav'),
    ...waveOptions(),
    '--captions <file>: also write captions, as .srt, .vtt, .ass or .json, or - for SubRip on standard output; for a folder of chapters, a format such as vtt writes a file for each',
    '--caption-words: mark the time of each word, in .ass for karaoke (.vtt and .ass only)',
    new Option(
      '--loudness <target>',
      'loudness of each file in LUFS, such as -18; or audiobook (-20, for ACX) or podcast (-16)',
    ).argParser((text) => parseLoudness(text, '--loudness')),
    numberOption('--true-peak', truePeakRange, 'highest peak in dB with --loudness', '-3; audiobook -3.5, podcast -1'),
    numberOption('--head-silence', silenceRange, 'seconds of silence at the beginning of each file', '0'),
    numberOption('--tail-silence', silenceRange, 'seconds of silence at the end of each file', '0'),
    '--cover <file>: JPEG or PNG cover of an audiobook (default: the cover of the book)',
    '--no-cover: make the audiobook without a cover',
    '--json: print a summary as one line of JSON (on standard error with --output -)',
    ...verbosityOptions(),
  ]);

export const speedOption = (): Option =>
  numberOption('--speed', ranges.speed, 'speaking rate at unchanged pitch; above 1 is faster');

/** Options of the samples, whatever the format. */
export const waveOptions = (): readonly Option[] => [
  nameOption('--sample-format', sampleFormats, 'sample format of WAV', 's16'),
  speedOption(),
];

/** Options for how much a command prints. */
export const verbosityOptions = (): readonly Described[] => [
  new Option('--verbose', 'print more details on standard error').conflicts('quiet'),
  '--quiet: hide progress and warnings',
];
