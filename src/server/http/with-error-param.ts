import { type ErrorCode, SvcError } from '../../errors.ts';

const codes: readonly ErrorCode[] = ['INVALID_REQUEST', 'VOICE_NOT_FOUND', 'CONSENT_NOT_FOUND', 'CONFLICT'];

/** Adds the field of the request to errors, such as those about the name of a voice. */
export async function withErrorParam<Result>(param: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SvcError) || error.param !== undefined || !codes.includes(error.code)) throw error;
    throw new SvcError(error.code, error.message, { param, cause: error.cause });
  }
}

/** Gives errors of the engine about the text, or the turns in it, the name of the field in HTTP. */
export async function withInputParam<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const param = error.param?.replace(/^(text|turns)\b/, 'input');
    throw new SvcError(error.code, error.message, { param, cause: error.cause });
  }
}
