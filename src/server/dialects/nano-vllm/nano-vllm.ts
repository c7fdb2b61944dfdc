/** Speech and latents as in the server of nano-vLLM: recordings come in requests, raw or encoded by `/encode_latents`. */
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { ModelInfo } from '../../../engine/backend.ts';
import { requestFields, schemaOf } from '../../../engine/request-fields.ts';
import { spokenText } from '../../../engine/script/turns.ts';
import { type EncodedAudio, transcript } from '../../../engine/voice-fields.ts';
import { bytesOf, floatsOf } from '../../../float-arrays.ts';
import { numberIn, oneOf, parse, requestError, text } from '../../../validation.ts';
import { clientSignal } from '../../context/client.ts';
import type { ModelContext, ServerContext } from '../../context/context.ts';
import { outputRate } from '../../context/output-rate.ts';
import { parseKnown, type UnknownFields } from '../../http/unknown-fields.ts';
import { withJob } from '../../jobs/jobs.ts';
import { withModel } from '../../jobs/model-context.ts';
import { fieldsOf, jsonWithRecording } from '../../middleware/bodies.ts';
import { answering, binary, jsonRequest, type Operation, route } from '../../openapi/operation.ts';
import { readUpload } from '../../recordings/recordings.ts';
import { audioAnswer } from '../../routes/speech.ts';
import { encodedRecording } from '../../schemas/encoded-recording.ts';
import { speechBody } from '../../schemas/speech.ts';
import { acceptJson } from '../../speech/accepted-request.ts';
import { answerSpeech } from '../../speech/send-audio.ts';
import type { RecordedChoice } from '../../speech/voice-of-body.ts';
import type { Dialect } from '../dialect.ts';

export const nanoVllm: Dialect = { operations: nanoVllmOperations };

const latents = encodedRecording.describe('What `/encode_latents` has returned, for the same model.');
const wav = encodedRecording.describe('A recording, in base64.');
const wavFormat = text.nullish().describe('Has no effect: the format is detected from the content.');

const generateBody = z.object({
  target_text: spokenText.describe('Text to speak, up to 65,536 characters.'),
  prompt_wav_base64: wav,
  prompt_wav_format: wavFormat,
  prompt_latents_base64: latents,
  prompt_text: transcript.nullish().describe('Transcript of the prompt, which it needs.'),
  ref_audio_wav_base64: wav,
  ref_audio_wav_format: wavFormat,
  ref_audio_latents_base64: latents,
  lora_name: text.nullish().describe('Name of a LoRA adapter.'),
  max_generate_length: numberIn(requestFields.maxLength).nullish().describe('Maximum length in patches.'),
  temperature: z.number().nullish().describe('Has no effect but for 1, as VoxCPM has none.'),
  cfg_value: schemaOf('cfg').nullish().describe('Guidance scale.'),
  seed: schemaOf('seed').nullish().describe('The same seed gives the same audio.'),
  response_format: oneOf(['mp3', 'pcm'])
    .nullish()
    .describe('`pcm` is 16-bit little-endian mono at the rate of the model.'),
});

type GenerateBody = z.output<typeof generateBody> & { readonly unknownFields?: UnknownFields | undefined };

const encodeBody = z.object({ wav_base64: wav, wav_format: wavFormat });

const encodeAnswer = z.object({
  prompt_latents_base64: z.string().describe('32-bit floats of the recording, in base64.'),
  feat_dim: z.int().describe('Feature size of a frame.'),
  latents_dtype: z.literal('float32'),
  sample_rate: z.int().describe('Sample rate of the encoder, in Hz.'),
  channels: z.literal(1),
});

function nanoVllmOperations(context: ServerContext): readonly Operation[] {
  return [
    {
      ...route('post', '/generate', 'speech', 'Generate speech with recordings in the request.'),
      description: 'Compatible with nano-vLLM’s server. Audio is sent while it is generated.',
      ...jsonRequest(generateBody, { target_text: 'Hello there.' }),
      answers: { 200: audioAnswer({ 'audio/mpeg': binary, 'audio/L16': binary }) },
      failures: [400, 413, 415, 503],
      handlers: jsonWithRecording(context, fieldsOf('prompt_wav_base64', 'ref_audio_wav_base64')),
      handle: (request, response) => generate(context, request, response),
    },
    {
      ...route('post', '/encode_latents', 'voices', 'Encode a recording for requests.'),
      description:
        'Compatible with nano-vLLM’s server. The latents are a prompt or a reference of `/generate`, without another encoding.',
      ...jsonRequest(encodeBody, { wav_base64: 'UklGRiQ…', wav_format: 'wav' }),
      ...answering('The latents.', encodeAnswer, {
        ...{ prompt_latents_base64: 'AACAPwAA…', feat_dim: 64 },
        ...{ latents_dtype: 'float32', sample_rate: 16_000, channels: 1 },
      }),
      failures: [400, 413, 415, 503],
      handlers: jsonWithRecording(context, fieldsOf('wav_base64')),
      handle: (request, response) => encode(context, request, response),
    },
  ];
}

async function generate(context: ServerContext, request: Request, response: Response): Promise<void> {
  const body: GenerateBody = parseKnown(generateBody, request.body ?? {});
  request.body = undefined;
  checkCombinations(body);
  const format = body.response_format ?? 'mp3';
  await withModel(context, {}, response, async (context) => {
    const { info } = context.engine;
    const recording = await recordingOf(context, body);
    const stated = {
      input: body.target_text,
      lora: body.lora_name,
      max_length: body.max_generate_length,
      cfg_value: body.cfg_value,
      seed: body.seed,
    };
    const input = { ...parse(speechBody, stated), unknownFields: body.unknownFields };
    const rate = outputRate(format, info.outputSampleRate, 'model');
    const accepted = await acceptJson(context, input, { output: { format, rate }, recording });
    const isTempered = body.temperature !== undefined && body.temperature !== null && body.temperature !== 1;
    const warnings = [...accepted.warnings, ...(isTempered ? ['VoxCPM has no temperature; it is ignored'] : [])];
    response.set({
      'X-Audio-Sample-Rate': String(rate),
      'X-Audio-Channels': '1',
      'X-Audio-Encoding': format === 'pcm' ? 's16le' : 'mp3',
    });
    const contentType = format === 'pcm' ? { contentType: `audio/L16;rate=${rate};channels=1` } : {};
    const delivery = { accepted: { ...accepted, warnings }, format, ...contentType } as const;
    await answerSpeech(context, response, delivery);
  });
}

/** @throws SvcError INVALID_REQUEST */
function checkCombinations(body: GenerateBody): void {
  for (const [one, other] of [
    ['prompt_wav_base64', 'prompt_latents_base64'],
    ['ref_audio_wav_base64', 'ref_audio_latents_base64'],
  ] as const) {
    if (body[one] && body[other]) throw requestError(`${one} and ${other} cannot be combined`, other);
  }
  const hasPrompt = Boolean(body.prompt_wav_base64 ?? body.prompt_latents_base64);
  const hasText = Boolean(body.prompt_text?.trim());
  if (hasPrompt && !hasText) throw requestError('prompt_text is required with a prompt', 'prompt_text');
  if (hasText && !hasPrompt) throw requestError('prompt_text needs a prompt', 'prompt_text');
}

async function recordingOf(context: ModelContext, body: GenerateBody): Promise<RecordedChoice | undefined> {
  const { engine, settings, signal } = context;
  const read = (field: 'prompt_wav_base64' | 'ref_audio_wav_base64') => {
    const buffer = body[field];
    return buffer ? readUpload({ buffer }, field, settings, { signal }) : undefined;
  };
  const decode = (field: 'prompt_latents_base64' | 'ref_audio_latents_base64', role: EncodedAudio['role']) => {
    const bytes = body[field];
    return bytes ? patchesOf(bytes, role, engine.info, field) : undefined;
  };
  const audio = (await read('prompt_wav_base64')) ?? decode('prompt_latents_base64', 'prompt');
  const reference = (await read('ref_audio_wav_base64')) ?? decode('ref_audio_latents_base64', 'reference');
  if (audio === undefined && reference === undefined) return undefined;
  return { kind: 'recording', audio, text: body.prompt_text ?? undefined, reference };
}

function patchesOf(
  bytes: Buffer,
  role: EncodedAudio['role'],
  { patchSize, featureDim }: ModelInfo,
  field: string,
): EncodedAudio {
  const patchBytes = patchSize * featureDim * 4;
  if (bytes.length === 0 || bytes.length % patchBytes !== 0) {
    throw requestError(
      `${field} must be latents of this model, in patches of ${patchBytes} bytes, got ${bytes.length} bytes`,
      field,
    );
  }
  return { role, patches: floatsOf(bytes) };
}

async function encode(context: ServerContext, request: Request, response: Response): Promise<void> {
  const { wav_base64: buffer } = parseKnown(encodeBody, request.body ?? {});
  request.body = undefined;
  const audio = await readUpload(buffer ? { buffer } : undefined, 'wav_base64', context.settings, {
    signal: clientSignal(response),
  });
  await withModel(context, {}, response, (context) =>
    withJob(context, response, async ({ signal }) => {
      const { patches } = await context.engine.encode(audio, 'prompt', { signal });
      const { featureDim, inputSampleRate } = context.engine.info;
      response.json({
        prompt_latents_base64: bytesOf(patches).toString('base64'),
        feat_dim: featureDim,
        latents_dtype: 'float32',
        sample_rate: inputSampleRate,
        channels: 1,
      });
    }),
  );
}
