/**
 * What callers may ask for: the only place with limits and defaults. The defaults are those of the official
 * `VoxCPM.generate` (`voxcpm/core.py`), the limits those of its command line.
 */
import { z } from 'zod';
import type { Audio } from '../audio/wav.ts';
import { SvcError } from '../errors.ts';
import type { ModelInfo } from './backend.ts';
import { normalizeText } from './text/normalize.ts';

export interface Range {
  readonly kind: 'integer' | 'number';
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
}

export const ranges = {
  cfg: { kind: 'number', minimum: 0, maximum: 10, default: 2 },
  timesteps: { kind: 'integer', minimum: 1, maximum: 100, default: 10 },
  minLength: { kind: 'integer', minimum: 0, maximum: 65_536, default: 2 },
  maxLength: { kind: 'integer', minimum: 1, maximum: 65_536, default: 4096 },
  seed: { kind: 'integer', minimum: 0, maximum: 0xffff_ffff },
  threads: { kind: 'integer', minimum: 1, maximum: 1024 },
  maxBatch: { kind: 'integer', minimum: 1, maximum: 256, default: 8 },
  /** Of playing; what is asked of an encoder's caller, not of the engine. */
  speed: { kind: 'number', minimum: 0.25, maximum: 4, default: 1 },
} as const satisfies Record<string, Range>;

export const backendNames = ['cpu', 'cuda', 'vulkan', 'metal', 'coreml', 'webgpu', 'auto'] as const;
export type BackendName = (typeof backendNames)[number];

/** The X of `expected X for Y`. */
export const describeRange = ({ kind, minimum, maximum }: Range): string =>
  `${kind === 'integer' ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`;

/** Audio that is encoded already, from `Engine.encode`: `n × patchSize × featureDim` values of the same model. */
export interface EncodedAudio {
  readonly role: 'prompt' | 'reference';
  readonly patches: Float32Array;
}

const describeAudio = 'samples (finite, not empty) with a sample rate, or encoded audio of this role,';

const isFilled = (values: unknown): values is Float32Array =>
  values instanceof Float32Array && values.length > 0 && values.every(Number.isFinite);

const isAudio = (value: unknown, role: EncodedAudio['role']): boolean => {
  const { samples, sampleRate, patches, role: given } = (value ?? {}) as Partial<Audio & EncodedAudio>;
  return given === undefined ? isFilled(samples) && Number(sampleRate) > 0 : given === role && isFilled(patches);
};

const number = (range: Range) => {
  const error = describeRange(range);
  const base = range.kind === 'integer' ? z.int({ error }) : z.number({ error });
  return base.min(range.minimum, { error }).max(range.maximum, { error });
};
const audio = (role: EncodedAudio['role']) =>
  z.custom<Audio | EncodedAudio>((value) => isAudio(value, role), { error: describeAudio });
const describeTranscript = 'text with at least one visible character';

/** Messages of the schemas are the X of `expected X for Y, received Z`. */
const requestSchema = z.strictObject({
  /** What to say. */
  text: z.string({ error: 'text' }),
  /** Audio that the model continues, and its transcript; empty when nobody knows it, which costs likeness. */
  promptAudio: audio('prompt').optional(),
  promptText: z.string({ error: 'text' }).regex(/^$|\S/, { error: describeTranscript }).optional(),
  /** Audio that gives the timbre only. VoxCPM 2. */
  referenceAudio: audio('reference').optional(),
  /** How to speak, in words. VoxCPM 2, without a prompt. */
  control: z.string({ error: 'text' }).optional(),
  /** Guidance of classifier-free guidance. */
  cfg: number(ranges.cfg).default(ranges.cfg.default),
  /** Euler steps of flow matching. */
  timesteps: number(ranges.timesteps).default(ranges.timesteps.default),
  /** The model's stop counts from the patch with a larger 0-based number. */
  minLength: number(ranges.minLength).default(ranges.minLength.default),
  /** Most patches; six for a token of text and ten more are never exceeded. */
  maxLength: number(ranges.maxLength).default(ranges.maxLength.default),
  /** Random when left out. */
  seed: number(ranges.seed).optional(),
  /** Make an utterance that babbles or is silent again, up to three times. Streams do so only while nothing was heard. */
  retryBadcase: z.boolean({ error: 'true or false' }).default(true),
  /** Speak a long text in parts, cut at the ends of sentences. */
  split: z.boolean({ error: 'true or false' }).default(true),
  /** Replace typographic characters and remove what can't be spoken, which makes models emit noise. */
  clean: z.boolean({ error: 'true or false' }).default(true),
  /** Read numbers, dates, units, currencies and abbreviations out in English and Chinese. */
  normalize: z.boolean({ error: 'true or false' }).default(false),
});

const engineSchema = z.strictObject({
  /** One `.gguf` file or a folder with an ONNX model; the demo model that comes with the package when left out. */
  modelPath: z
    .string({ error: 'the path of one .gguf file or of an ONNX folder' })
    .min(1, { error: 'the path of one .gguf file or of an ONNX folder' })
    .optional(),
  backend: z.enum(backendNames, { error: `one of ${backendNames.join(', ')}` }).default('auto'),
  /** CPU threads; the runtime's choice when left out. */
  threads: number(ranges.threads).optional(),
  /** Most utterances that share one pass over the weights. */
  maxBatch: number(ranges.maxBatch).default(ranges.maxBatch.default),
});

export type SynthesisRequest = Readonly<z.input<typeof requestSchema>>;
export type ResolvedRequest = Readonly<z.output<typeof requestSchema>>;
export type EngineOptions = Readonly<z.input<typeof engineSchema>>;
export type ResolvedEngineOptions = Readonly<z.output<typeof engineSchema>>;

/**
 * Checks all that can be checked without a model, and fills in the defaults.
 *
 * @throws SvcError INVALID_REQUEST, one line.
 */
export function parseRequest(input: unknown): ResolvedRequest {
  const request = parse(requestSchema, input, 'the request');
  normalizeText(request.text);
  if ((request.promptAudio === undefined) !== (request.promptText === undefined)) {
    const [there, missing] = request.promptText === undefined ? ['audio', 'text'] : ['text', 'audio'];
    throw invalid('prompt audio and prompt text together', 'a prompt', `prompt ${there} without prompt ${missing}`);
  }
  if (controlOf(request) !== '' && request.promptText !== undefined) {
    throw invalid('no prompt text', 'a request with control', 'both');
  }
  return request;
}

/** @throws SvcError INVALID_REQUEST, one line. */
export const parseAudio = (input: unknown, role: EncodedAudio['role']): Audio | EncodedAudio =>
  parse(z.object({ audio: audio(role) }), { audio: input }, 'the audio').audio;

/** @throws SvcError INVALID_REQUEST, one line. */
export const parseEngineOptions = (input: unknown): ResolvedEngineOptions => parse(engineSchema, input, 'the engine');

/** @throws SvcError INVALID_REQUEST when the model can't do what the request asks for. */
export function assertSupported(request: ResolvedRequest, info: ModelInfo): void {
  if (info.architecture === 'voxcpm2') return;
  const received = `${info.name} of architecture ${info.architecture}`;
  if (request.referenceAudio !== undefined) throw invalid('a VoxCPM 2 model', 'reference audio', received);
  if (controlOf(request) !== '') throw invalid('a VoxCPM 2 model', 'control', received);
}

/** The text to tokenise: control in front as `build_final_text` of the official `voxcpm/cli.py` puts it, whitespace normalised. */
export function targetText(request: ResolvedRequest): string {
  const control = controlOf(request);
  return normalizeText(control === '' ? request.text : `(${control})${request.text}`);
}

/** Without parentheses, which the official `app.py` removes too: the model expects one pair around all of it. */
const controlOf = ({ control }: ResolvedRequest): string => control?.replace(/[()（）]/gu, '').trim() ?? '';

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown, subject: string): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issue = result.error.issues[0] as z.core.$ZodIssue;
  if (issue.code === 'unrecognized_keys') throw invalid('known fields only', subject, issue.keys.join(', '));
  if (issue.path.length === 0) throw invalid('an object', subject, show(input));
  const [field] = issue.path as [string];
  throw invalid(issue.message, field, show((input as Record<string, unknown>)[field]));
}

const invalid = (expected: string, subject: string, received: string): SvcError =>
  new SvcError('INVALID_REQUEST', `expected ${expected} for ${subject}, received ${received}`);

function show(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
  const text = JSON.stringify(value.slice(0, 40));
  return value.length > 40 ? `${text}…` : text;
}
