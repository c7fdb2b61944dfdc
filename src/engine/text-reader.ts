/** Reads texts as a model gets them. Engines read them by this too, with the weights beside it. */
import type { Steps } from '../event-loop.ts';
import { type Accepted, acceptSteps } from './accepted.ts';
import type { Backend } from './backend.ts';
import type { ParsedRequest } from './parsed-request.ts';
import { previewSteps, type TextPreview } from './plan/preview.ts';
import type { RequestFields } from './request.ts';
import { createCoverage } from './text/coverage.ts';
import type { TextInfo } from './text/languages.ts';
import { normalizesByDefault } from './text/normalization-default.ts';
import { createTokenizer } from './text/tokenizer.ts';

export type TextReader = ReturnType<typeof createTextReader>;

/** @throws SvcError MODEL_INVALID if the model has no tokenizer */
export function createTextReader(info: TextInfo, metadata: Backend['metadata']) {
  const tokenizer = createTokenizer(metadata);
  const coverage = createCoverage(tokenizer, info);
  const normalizes = normalizesByDefault(info, tokenizer);

  const decided = <Request extends Pick<RequestFields, 'normalize'>>(request: Request): Request =>
    request.normalize === 'auto' ? { ...request, normalize: normalizes } : request;

  /** Warnings about letters of an accepted text that the model cannot read. */
  function* unread(accepted: Accepted): Steps<readonly string[]> {
    const text = accepted.passages.map((passage) => passage.style + passage.text).join(' ');
    const language = accepted.language ?? accepted.voiceLanguage;
    const warning = yield* coverage(text, { ...accepted, language });
    return warning === undefined ? [] : [warning];
  }

  return {
    info,
    tokenizer,
    /** Meaning of `normalize: auto` for the model. */
    normalizes,
    coverage,
    decided,
    unread,
    /** As `SpeechSource.accept`, without adapters. @throws SvcError INVALID_REQUEST */
    *accept(request: ParsedRequest): Steps<Accepted> {
      const accepted = decided(yield* acceptSteps(request, info));
      const warnings = yield* unread(accepted);
      return { ...accepted, letters: 'checked', warnings: [...accepted.warnings, ...warnings] };
    },
    /** As `SpeechSource.preview`. @param text of the request, as written */
    preview: (speech: Accepted, text: string): Steps<TextPreview> =>
      previewSteps(decided(speech), text, info, coverage.unknownOf),
  };
}
