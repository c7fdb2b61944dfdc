/** A document as it is given to its parser, and what becomes of the parser's failures. */
import { SvcError } from '../errors.ts';

export interface DocumentFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** A limit that no real document reaches; the message completes `PATH: …`. */
export class DocumentLimitError extends RangeError {}

/**
 * Calls the parser of others' files, whose own errors, such as that of a full stack, would tell nobody what to do.
 *
 * @param kind completes `is not a readable …`
 * @throws SvcError INVALID_REQUEST, one line that names the file, for anything that the parser throws
 */
export async function parseForeign<Result>(
  path: string,
  kind: string,
  parse: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await parse();
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    const refuse = (problem: string, remedy?: string): SvcError =>
      new SvcError('INVALID_REQUEST', `${path}${problem}`, { cause, remedy });
    if (cause instanceof DocumentLimitError) throw refuse(`: ${cause.message}`);
    if (isFileError(cause)) throw cause;
    throw refuse(` is not a readable ${kind}: it is damaged`, 'open it in another program and save it again');
  }
}

/** Whether the system refused a file, such as a missing one. */
export const isFileError = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;
