/** One route: what the application mounts and what the OpenAPI document says, so that the two can't differ. */
import type { RequestHandler } from 'express';
import type { z } from 'zod';
import type { Dialect } from './problem.ts';

/** By content type. */
export type Contents = Readonly<Record<string, z.ZodType>>;

export interface Answer {
  readonly description: string;
  readonly contents?: Contents;
}

export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** With parameters as `:id`. */
  readonly path: string;
  readonly tag: 'speech' | 'voices' | 'service';
  /** What it does, verb first, in one line. */
  readonly summary: string;
  /** More, in Markdown. */
  readonly description?: string;
  /** `open` needs no token. */
  readonly access?: 'open';
  /** Whose address it is; that of the public API, or of several, when left out. Decides how failures are told. */
  readonly dialect?: Dialect;
  readonly query?: z.ZodObject;
  readonly body?: Contents;
  /** Of the body, or of the query where there is no body. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** By status, those of failures left out. */
  readonly answers: Readonly<Record<number, Answer>>;
  readonly handlers: readonly RequestHandler[];
}
