import type { Command } from 'commander';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { type SpeakOptions, speakCommand } from '../options/speak-options.ts';

const ttsExamples = `
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
  return speakCommand('tts', ttsExamples).action(async (text: string | undefined, options: SpeakOptions) => {
    await (await import('../speak.ts')).speakText(text, options, io);
  });
}

const cloneExamples = `
Examples:
  svc clone --model voxcpm-0.5b --prompt-audio me.wav \\
    --prompt-text "What I say in me.wav." \\
    "Something that I never said." -o cloned.wav
  svc clone --model voxcpm-2 --reference-audio me.wav "In my timbre." -o new.wav`;

/** `svc clone`: speaks a text in the voice of a recording. */
export function cloneCommand(io: Io): Command {
  return speakCommand('clone', cloneExamples).action(async (text: string | undefined, options: SpeakOptions) => {
    const { promptAudio, promptText, promptFile, referenceAudio, voice } = options;
    if ((promptAudio ?? promptText ?? promptFile ?? referenceAudio ?? voice) === undefined)
      throw requestError('svc clone needs a voice: --prompt-audio with --prompt-text, --reference-audio, or --voice');
    await (await import('../speak.ts')).speakText(text, options, io);
  });
}
