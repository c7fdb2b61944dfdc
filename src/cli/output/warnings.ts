/** What a command tells besides its result: things that work, but not as somebody may expect. */
import { audioFormats, formatOfPath } from '../../audio/format.ts';
import { checkPrompt } from '../../audio/prompt-check.ts';
import type { ModelInfo } from '../../engine/backend.ts';
import type { SynthesisRequest } from '../../engine/request.ts';
import type { Io } from '../io.ts';
import type { SpeakOptions } from '../options/options.ts';
import type { Output } from './output.ts';

/**
 * One line each.
 *
 * @throws SvcError INVALID_REQUEST for prompt or reference audio that can't work.
 */
export function warningsBefore(
  info: ModelInfo,
  request: SynthesisRequest,
  options: SpeakOptions,
  output: Output,
): readonly string[] {
  const { name, limits } = info;
  const { maxTextCharacters: longest } = limits;
  const characters = request.text.length;
  const findings: readonly (readonly [boolean, string])[] = [
    [
      request.split === false && longest !== undefined && characters > longest,
      `model ${name} drops words past ${longest} characters, received ${characters}`,
    ],
    [
      options.retryBadcase === true && output.kind === 'stream',
      '--retry-badcase has no effect with --output -, what is spoken has been heard',
    ],
  ];
  const found = findings.filter(([applies]) => applies).map(([, what]) => what);
  return [...aboutRecordings(info, request), ...aboutFormat(output), ...found];
}

/** Stored voices are encoded already and were checked then. */
function aboutRecordings(info: ModelInfo, { promptAudio, referenceAudio }: SynthesisRequest): readonly string[] {
  // The engine says that it ignores them.
  if (info.limits.fixedVoice === true) return [];
  const recordings = [
    ['prompt', promptAudio],
    ['reference', referenceAudio],
  ] as const;
  return recordings.flatMap(([role, audio]) => {
    if (audio === undefined || 'patches' in audio) return [];
    // The engine says that the model takes none at all.
    if (role === 'reference' && info.architecture !== 'voxcpm2') return [];
    return checkPrompt(audio, info, role);
  });
}

/** A file with the name of another format is what was asked for, and surprises whoever opens it. */
function aboutFormat(output: Output): readonly string[] {
  const named = output.kind === 'file' ? formatOfPath(output.path) : undefined;
  if (output.kind !== 'file' || named === undefined) return [];
  if (audioFormats[named].mimeType === audioFormats[output.format].mimeType) return [];
  return [`${output.path} gets ${output.format}, as --response-format says`];
}

export interface Warner {
  /** Prints what was not told before, unless the user wants quiet. */
  tell(warnings: readonly string[]): void;
  /** All that was told. */
  readonly told: readonly string[];
}

export function createWarner({ quiet }: Pick<SpeakOptions, 'quiet'>, { stderr }: Pick<Io, 'stderr'>): Warner {
  const told: string[] = [];
  return {
    told,
    tell(warnings) {
      for (const warning of warnings.filter((candidate) => !told.includes(candidate))) {
        told.push(warning);
        if (!quiet) stderr.write(`svc: warning: ${warning}\n`);
      }
    },
  };
}
