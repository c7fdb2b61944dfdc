/** A route as the application mounts it and the OpenAPI document describes it, so that the two can't differ. */
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
  /** Details, in Markdown. */
  readonly description?: string;
  /** `open`: no API key required. */
  readonly access?: 'open';
  /** The API that the path belongs to, which decides the form of errors; by default the public one. */
  readonly dialect?: Dialect;
  readonly query?: z.ZodObject;
  readonly body?: Contents;
  /** Example of the body, or of the query if there is no body. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Successful answers by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  readonly handlers: readonly RequestHandler[];
}
