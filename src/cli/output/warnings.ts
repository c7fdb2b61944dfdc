/** Warnings of `tts` and `clone`: what works, but perhaps not as the user expects. */
import { checkPrompt } from '../../audio/analyze/prompt-check.ts';
import { audioFormats, formatOfPath } from '../../audio/encode/format.ts';
import type { ModelInfo } from '../../engine/backend.ts';
import type { UnwrittenRequest } from '../../engine/request.ts';
import type { Io } from '../io.ts';
import type { SpeakOptions } from '../options/speak-options.ts';
import type { VoiceOptions } from '../options/speech-options.ts';
import { printWarning } from './messages.ts';
import type { Output } from './output.ts';
import { recordingsOf } from './recording-quality.ts';

/** Warnings before synthesis. @throws SvcError INVALID_REQUEST for prompt or reference audio that can't work */
export function warningsBefore(
  info: ModelInfo,
  request: UnwrittenRequest & { readonly text?: string },
  options: SpeakOptions,
  output: Output,
): readonly string[] {
  const { name, limits } = info;
  const { maxTextCharacters: longest } = limits;
  const characters = request.text?.length ?? 0;
  const findings: readonly (readonly [boolean, string])[] = [
    [
      request.split === false && longest !== undefined && characters > longest,
      `the text has ${characters} characters, and model ${name} drops words past ${longest}; leave out --no-split`,
    ],
    [
      options.retryBadcase === true && (output.kind !== 'file' || options.live === true),
      '--retry-badcase has no effect on a stream: audio that was played cannot be replaced',
    ],
    [
      options.checkWith !== undefined && options.promptAudio === undefined && output.kind !== 'file',
      '--check-with has no effect on a stream; write a file with --output to have the speech checked',
    ],
    [
      options.checkWith !== undefined && options.retryBadcase === false,
      '--check-with has no effect on the speech with --no-retry-badcase',
    ],
    [isDenoiseUnused(options), unusedDenoise],
    [
      options.continueBy === 'reference' && (request.promptAudio ?? request.referenceAudio) !== undefined,
      '--continue-by has no effect with a voice: all parts of the text have it',
    ],
  ];
  const found = findings.filter(([applies]) => applies).map(([, what]) => what);
  return [...aboutRecordings(info, request, options), ...aboutFormat(output), ...found];
}

export const unusedDenoise = '--denoise has no effect without --prompt-audio or --reference-audio';

export const isDenoiseUnused = ({ denoise, promptAudio, referenceAudio }: VoiceOptions): boolean =>
  denoise === true && promptAudio === undefined && referenceAudio === undefined;

/** Not about stored voices, which are checked when they are added. */
export function aboutRecordings(
  info: ModelInfo,
  request: Parameters<typeof recordingsOf>[0],
  { denoise }: Pick<SpeakOptions, 'denoise'>,
): readonly string[] {
  return recordingsOf(request).flatMap(([role, audio]) => {
    // The engine refuses reference audio for this model.
    if (role === 'reference' && info.architecture !== 'voxcpm2') return [];
    return checkPrompt(audio, info, role, denoise ? undefined : '--denoise');
  });
}

/** A file whose extension is that of another format is as requested, but surprises its listener. */
function aboutFormat(output: Output): readonly string[] {
  const named = output.kind === 'file' ? formatOfPath(output.path) : undefined;
  if (output.kind !== 'file' || named === undefined) return [];
  if (audioFormats[named].mimeType === audioFormats[output.format].mimeType) return [];
  return [`${output.path} will contain ${output.format}, because of --response-format`];
}

export type Warner = ReturnType<typeof createWarner>;

export function createWarner({ quiet }: Pick<SpeakOptions, 'quiet'>, io: Pick<Io, 'stderr' | 'environment'>) {
  const reported: string[] = [];
  const known = new Set<string>();
  return {
    reported: reported as readonly string[],
    /** Prints new warnings, unless `--quiet` is set. */
    report(warnings: readonly string[]): void {
      for (const warning of warnings) {
        if (known.has(warning)) continue;
        known.add(warning);
        reported.push(warning);
        if (!quiet) printWarning(warning, io);
      }
    },
  };
}
