/** A route as the application mounts it and the OpenAPI document describes it, so that the two can't differ. */
import type { RequestHandler } from 'express';
import { z } from 'zod';
import type { ErrorStyle } from '../http/problem.ts';
import type { FailureStatus } from './failures.ts';
import type { SampleName } from './samples.ts';

export type Contents = Readonly<Record<string, z.ZodType>>;

export const binary = z.string().meta({ format: 'binary' });

/** One of the events of an answer; documents describe streams by them. */
export const serverSentEvent = z.union([
  z.object({
    event: z.string().optional().describe('Name of the event.'),
    data: z.string().describe('A JSON object.'),
  }),
  z.string().describe('The stream, for a client that does not take it apart.'),
]);

type Example = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly description: string;
  readonly contents?: Contents;
  readonly example?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** With parameters as `:id`. */
  readonly path: string;
  readonly tag: 'speech' | 'voices' | 'service';
  /** One sentence that begins with a verb. */
  readonly summary: string;
  readonly description: string;
  readonly samples?: readonly { readonly title: string; readonly name: SampleName }[];
  /** `open` needs no token, `list` may need none (`--public-lists`). */
  readonly access?: 'open' | 'list';
  /** Default: the errors of the public API. */
  readonly errors?: ErrorStyle | undefined;
  /** Whether it computes, and so is refused at capacity and counted by rate limits; default: each `post`. */
  readonly isWork?: boolean;
  readonly query?: z.ZodObject;
  readonly body?: Contents;
  /** Request bodies by content type, and `query`. */
  readonly examples?: Readonly<Record<string, Example | undefined>>;
  /** Successful responses by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Likely errors, besides a missing API key. */
  readonly failures?: readonly FailureStatus[];
  /** Run in order, such as those that read the body; then `handle`. */
  readonly handlers?: readonly RequestHandler[];
  readonly handle?: RequestHandler;
}

export const route = (
  method: Operation['method'],
  path: string,
  tag: Operation['tag'],
  summary: string,
): Pick<Operation, 'method' | 'path' | 'tag' | 'summary'> => ({ method, path, tag, summary });

export const jsonRequest = (schema: z.ZodType, example: Example) => ({
  body: { 'application/json': schema },
  examples: { 'application/json': example },
});

export const formRequest = (schema: z.ZodType, example: Example) => ({
  body: { 'multipart/form-data': schema },
  examples: { 'multipart/form-data': example },
});

export const jsonAnswer = (description: string, schema: z.ZodType, example?: unknown): Answer => ({
  description,
  contents: { 'application/json': schema },
  example,
});

/** An operation with one answer, in JSON. */
export const answering = (...answer: Parameters<typeof jsonAnswer>) => ({ answers: { 200: jsonAnswer(...answer) } });

/** Matches paths of a request; `:id` matches any segment. As in Express, the case of letters makes no difference. */
export const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}/?$`, 'i');
