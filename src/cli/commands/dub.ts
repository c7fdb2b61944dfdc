import { type Command, Option } from 'commander';
import { audioFormatNames } from '../../audio/encode/format.ts';
import { sampleFormats } from '../../audio/encode/wav-encode.ts';
import { dubRanges } from '../../dub/dub-cues.ts';
import type { DubCommandOptions } from '../dub.ts';
import type { Io } from '../io.ts';
import { loraOptions } from '../options/lora-options.ts';
import { modelOptions } from '../options/model-options.ts';
import { commandWith, grouped, nameOption, numberOption } from '../options/option-values.ts';
import { verbosityOptions } from '../options/output-options.ts';
import { lexiconOption, scriptOptions, speechOptions, voiceOptions } from '../options/speech-options.ts';
import { helpText } from '../short-help.ts';

const examples = `
Examples:
  svc dub --captions talk.srt -o talk.wav
  svc dub --captions talk.vtt -o talk.mp3 --voices Anna=iris,Ben=bruno
  svc dub --captions talk.srt -o talk.wav --new-captions spoken.srt --json`;

const details = `
Each caption begins at its time. Speech that is too long for its caption is
generated again with other seeds, then made faster, then takes the silence
before the next caption. What is still too long delays the next caption, with
a warning. Captions that touch within a sentence are spoken in one piece.`;

/** `svc dub`: speaks captions at their times. */
export function dubCommand(io: Io): Command {
  const given = new Set(['--input-format', '--read-code', '--no-split', '--continue-by', '--lexicon']);
  return commandWith('dub', helpText(examples, details), [
    ...grouped('Text:', [
      new Option(
        '--captions <file>',
        'captions to speak: SubRip (.srt), WebVTT (.vtt) or ASS (.ass)',
      ).makeOptionMandatory(),
      '--sounds: also speak sounds and music, such as [door slams]',
      lexiconOption('pronunciations'),
    ]),
    ...scriptOptions().filter(({ long }) => !given.has(`${long}`)),
    ...grouped('Timing:', [
      numberOption('--max-speed', dubRanges.maxSpeed, 'how much faster than spoken a caption may be'),
      numberOption('--tries', dubRanges.tries, 'attempts at speech that is too long, with other seeds'),
    ]),
    ...voiceOptions(),
    ...modelOptions(),
    ...loraOptions('one per run'),
    ...grouped('Output:', [
      new Option('-o, --output <file>', 'audio file to write, or - for standard output').makeOptionMandatory(),
      nameOption('--response-format', audioFormatNames, 'audio format', 'from the file name, or wav'),
      nameOption('--sample-format', sampleFormats, 'sample format of WAV', 's16'),
      '--new-captions <file>: also write the captions with the times of the speech, as .srt, .vtt, .ass or .json, or - for SubRip on standard output',
      '--json: print a report as one line of JSON (on standard error with --output -)',
      ...verbosityOptions(),
    ]),
    ...speechOptions().filter(({ long }) => !given.has(`${long}`)),
  ]).action(async (options: DubCommandOptions) => (await import('../dub.ts')).dub(options, io));
}
