import type { Command } from 'commander';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { type SpeakOptions, speakCommand } from '../options/speak-options.ts';

const examples = `
Examples:
  svc clone --model voxcpm-0.5b --prompt-audio me.wav \\
    --prompt-text "What I say in me.wav." \\
    "Something that I never said." -o cloned.wav
  svc clone --model voxcpm-2 --reference-audio me.wav "In my timbre." -o new.wav`;

/** `svc clone`: speaks a text in the voice of a recording. */
export function cloneCommand(io: Io): Command {
  return speakCommand('clone', examples).action(async (text: string | undefined, options: SpeakOptions) => {
    if (
      (options.promptAudio ?? options.promptText ?? options.promptFile ?? options.referenceAudio ?? options.voice) ===
      undefined
    ) {
      throw requestError('svc clone needs a voice: --prompt-audio with --prompt-text, --reference-audio, or --voice');
    }
    const { speakText } = await import('../speak.ts');
    await speakText(text, options, io);
  });
}
