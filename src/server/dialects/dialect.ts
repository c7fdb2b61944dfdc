import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { ServerContext } from '../context/context.ts';
import type { SocketRoute } from '../context/sockets.ts';
import type { SpeechDialect } from '../context/speech-dialect.ts';
import type { ErrorStyle } from '../http/problem.ts';
import type { Operation } from '../openapi/operation.ts';

/**
 * The API of another server or service beside the public one: a folder here, and a line in `dialects.ts`. The core of the
 * server maps the list and imports none of them.
 */
export interface Dialect extends SpeechDialect {
  readonly errors?: ErrorStyle;
  /** Its endpoints, none at a path of the public API. They come first: `/v1/voices/add` before `/v1/voices/:id`. */
  readonly operations?: (context: ServerContext) => readonly Operation[];
  readonly sockets?: (context: ServerContext) => readonly SocketRoute[];
  /** Other answers of public endpoints to clients that send `errors.keyHeader`. */
  readonly variants?: (context: ServerContext) => readonly Variant[];
}

export interface Variant {
  readonly method: Operation['method'];
  readonly path: string;
  /** One sentence for the document. */
  readonly description: string;
  readonly answer?: z.ZodType;
  readonly answerWith: (request: Request, response: Response) => void | Promise<void>;
}
