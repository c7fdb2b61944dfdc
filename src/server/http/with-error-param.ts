import { type ErrorCode, SvcError } from '../../errors.ts';

const codes: readonly ErrorCode[] = ['INVALID_REQUEST', 'VOICE_NOT_FOUND', 'CONSENT_NOT_FOUND', 'CONFLICT'];

/** Runs `work`, and throws what `change` makes of its errors. */
export async function withOtherErrors<Result>(
  work: () => Result | Promise<Result>,
  change: (error: SvcError) => SvcError,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SvcError ? change(error) : error;
  }
}

/** Adds the field of the request to errors, such as those about the name of a voice. */
export const withErrorParam = <Result>(param: string, work: () => Result | Promise<Result>): Promise<Result> =>
  withOtherErrors(work, (error) => {
    const { code, message, cause } = error;
    return error.param !== undefined || !codes.includes(code) ? error : new SvcError(code, message, { param, cause });
  });

export const withInputParam = <Result>(work: () => Result | Promise<Result>): Promise<Result> =>
  withOtherErrors(work, ({ code, message, param, cause }) => {
    return new SvcError(code, message, { param: param?.replace(/^(text|turns)\b/, 'input'), cause });
  });
