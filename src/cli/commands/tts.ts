import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { type SpeakOptions, speakCommand } from '../options/speak-options.ts';

const examples = `
Examples:
  svc tts "Hello there."
  svc tts "Hello there." -o hello.wav
  svc tts --text-file chapter.txt --seed 7 -o chapter.mp3
  svc tts --text-file book.epub -o book.m4b
  echo "Hello there." | svc tts -o - | aplay
  some-llm | svc tts --live
  svc tts --model voxcpm-0.5b --lora anna-lora "Hello there." -o hello.wav
  svc tts --model voxcpm-2 --control "a calm low voice" "Hello." -o hello.wav

Without --output, the speech is played.`;

/** `svc tts`: speaks a text. */
export function ttsCommand(io: Io): Command {
  return speakCommand('tts', examples).action(async (text: string | undefined, options: SpeakOptions) => {
    const { speakText } = await import('../speak.ts');
    await speakText(text, options, io);
  });
}
