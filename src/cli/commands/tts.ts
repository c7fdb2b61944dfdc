import { Command } from 'commander';
import type { Io } from '../io.ts';
import { addSpeakOptions, type SpeakOptions } from '../options/options.ts';
import { speak } from '../speak.ts';

const examples = `
Examples:
  svc tts --text "Hello there." --output hello.wav
  svc tts --text-file chapter.txt --seed 7 --output chapter.mp3
  echo "Hello there." | svc tts --output - | aplay
  svc tts --model voxcpm-2 --control "a calm low voice" --text "Hello." \\
    --output hello.wav --json`;

/** `svc tts`: speaks a text. */
export function ttsCommand(io: Io): Command {
  return addSpeakOptions(new Command('tts'))
    .description('Speak a text.')
    .addHelpText('after', examples)
    .action((options: SpeakOptions) => speak(options, io));
}
