/** Error responses of the OpenAPI document. */
import { z } from 'zod';
import { bodyOf, type Problem } from '../http/problem.ts';

const validationDetail = z.object({
  type: z.enum(['missing', 'value_error']),
  loc: z.array(z.union([z.string(), z.int()])).describe('Path of the field.'),
  msg: z.string().describe('The problem with the field.'),
});

const statusDetail = z.object({ status: z.string().describe('Same as `code`.'), message: z.string() });

export const failureBody = z.object({
  error: z.object({
    message: z.string().describe('The problem, in one line.'),
    type: z
      .enum(['invalid_request_error', 'authentication_error', 'permission_error', 'rate_limit_error', 'server_error'])
      .describe('Kind of error.'),
    param: z.string().nullable().describe('Field at fault.'),
    code: z.string().describe('Stable error code.'),
  }),
  detail: z
    .union([z.string(), statusDetail, z.array(validationDetail)])
    .describe(
      'The same message, for clients of FastAPI servers; with its code, for those of ElevenLabs; with status 422, a list of invalid fields.',
    ),
});

const failure = (description: string, problem: Pick<Problem, 'message' | 'code'> & Partial<Problem>) => ({
  description,
  example: bodyOf({ status: 400, type: 'invalid_request_error', ...problem }),
});

const queueFull = {
  ...{ message: 'the queue is full (64 requests waiting); retry later', code: 'queue_full' },
  type: 'server_error',
} as const;

export const failures = {
  400: failure('A field is missing or invalid.', {
    message: 'speed must be a number from 0.25 to 4, got 9',
    param: 'speed',
    code: 'bad_request',
  }),
  401: failure('The API key is missing or wrong.', {
    message: 'missing or wrong API key; send it as a bearer token',
    type: 'authentication_error',
    code: 'invalid_api_key',
  }),
  403: failure('The recording is outside the folder of the server, or the server has none.', {
    message: 'prompt_wav_path is not in the voice folder',
    type: 'permission_error',
    param: 'prompt_wav_path',
    code: 'forbidden',
  }),
  404: failure('There is no voice or model with this name.', {
    message: 'unknown voice "alice" (available: anna, ben; see GET /v1/voices)',
    param: 'voice',
    code: 'voice_not_found',
  }),
  409: failure('The name is taken, or the voice was made for another model and its recording was not kept.', {
    message: 'voice "anna" already exists',
    code: 'voice_exists',
  }),
  413: failure('The body or the recording is longer than the limit.', {
    message: 'the body is larger than the limit of 1 MiB',
    code: 'payload_too_large',
  }),
  415: failure('The recording is in an unknown format.', {
    message: 'audio is not in a supported format (WAV, FLAC, MP3, Ogg, Opus, M4A, AAC)',
    param: 'audio',
    code: 'unsupported_audio',
  }),
  422: failure('A field is missing or invalid.', {
    message: 'input must not be empty',
    param: 'input',
    code: 'bad_request',
    detail: [{ type: 'missing', loc: ['body', 'input'], msg: 'input must not be empty' }],
  }),
  429: failure(
    'The queue is full, or a limit of the API key is reached. `Retry-After` has the seconds to wait.',
    queueFull,
  ),
  501: failure('The server has no audio output.', {
    message: 'no audio output on this server',
    type: 'server_error',
    code: 'playback_unavailable',
  }),
  503: failure('The queue is full, or the server is shutting down. `Retry-After` has the seconds to wait.', queueFull),
} as const;

export type FailureStatus = keyof typeof failures;
