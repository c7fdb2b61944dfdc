/** The tool `speak`: text to a file, to the loudspeaker, or to the client. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import {
  type AudioFormat,
  type AudioFormatName,
  audioFormatNames,
  audioFormats,
  createAudioFile,
  formatOfPath,
} from '../../audio/encode/format.ts';
import { type AudioSink, writeAll } from '../../audio/encode/sink.ts';
import { ignore } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { oneOf, path, requestError, text } from '../../validation.ts';
import type { ServerContext } from '../context/context.ts';
import { speakLive } from '../live/speak-live.ts';
import { speechBody } from '../schemas/speech.ts';
import { createAudioInMemory } from '../speech/audio-in-memory.ts';
import { newFile, plainPath, withGrantedRecordings } from './granted-files.ts';
import type { KeptSpeech } from './kept-speech.ts';
import { defineTool, type Tool, type ToolCall } from './tool.ts';

const outputs = ['play', 'file', 'audio', 'link'] as const;

const input = z.strictObject({
  ...speechBody.pick({
    ...{ input: true, model: true, instructions: true, speed: true, response_format: true, seed: true },
    ...{ input_format: true, voices: true, lexicon: true, normalize: true, language: true, cfg_value: true },
    ...{ inference_timesteps: true, lora: true, lora_weight: true, prompt_text: true, denoise: true },
  }).shape,
  voice: text.nullish().describe('Name of a voice from list_voices; by default, the model’s own voice.'),
  prompt_wav_path: path
    .nullish()
    .describe(
      'Recording to clone for this speech alone, in place of `voice`: a file below a folder that the client has granted.',
    ),
  path: path
    .nullish()
    .describe(
      'File to write, which must not exist: below a folder that the client has granted. Its extension is the format.',
    ),
  output: oneOf(outputs)
    .nullish()
    .describe(
      '`play` on the loudspeaker, write a `file` to `path`, return the `audio` in the result, or a `link` to it. By default `file` with a path, else `play` where there is a loudspeaker, else `audio`.',
    ),
});

type Input = z.output<typeof input>;

const output = z.object({
  output: oneOf(outputs),
  seconds: z.number().describe('Length of the speech.'),
  first_audio_seconds: z.number().describe('From the call to the first audio.'),
  sample_rate: z.int().describe('In Hz.'),
  seed: z.int().describe('To generate the same audio again.'),
  path: z.string().optional().describe('The file.'),
  uri: z.string().optional().describe('The resource that has the audio; the oldest are forgotten first.'),
  warnings: z.array(z.string()).describe('How the speech differs from the request.'),
});

type Output = (typeof outputs)[number];

/** Longer audio is a link: in a result, it would fill the memory of a language model. */
const mostBytesInResult = 2 ** 20;

interface Destination {
  readonly open: (sampleRate: number) => Promise<AudioSink>;
  readonly finish: () => Promise<Finished>;
}

interface Finished extends Pick<z.output<typeof output>, 'path' | 'uri' | 'output'> {
  /** Says where the audio is; follows the length of the speech. */
  readonly place: string;
  readonly content: CallToolResult['content'];
}

interface SpeakMeans {
  readonly kept: KeptSpeech;
  /** Whether speech is played unless the call states another output. */
  readonly playsByDefault: () => Promise<boolean>;
}

export function speakTool(context: ServerContext, { kept, playsByDefault }: SpeakMeans): Tool {
  /** Speech is played one after the other. */
  let playing: Promise<unknown> = Promise.resolve();

  async function destinationOf(given: Input, call: ToolCall) {
    const chosen = await outputOf(given, call, playsByDefault);
    if (chosen === 'file') return toFile(given, call);
    const format = given.response_format ?? 'mp3';
    return chosen === 'play' ? { ...toLoudspeaker(), format } : { ...toClient(chosen, format, call), format };
  }

  function toLoudspeaker(): Destination {
    let done = ignore;
    return {
      async open(sampleRate) {
        const before = playing;
        playing = new Promise<void>((resolve) => {
          done = resolve;
        });
        await before;
        const player = await context.openPlayer(sampleRate).catch((error) => {
          done();
          throw error;
        });
        const { write, finish, abort } = player;
        return { write, finish: () => finish().finally(done), abort: () => abort().finally(done) };
      },
      finish: async () => ({ output: 'play', place: 'was played on the loudspeaker', content: [] }),
    };
  }

  function toClient(chosen: 'audio' | 'link', format: AudioFormatName, { client }: ToolCall): Destination {
    const { mimeType } = audioFormats[format];
    const memory = createAudioInMemory(format);
    return {
      open: memory.open,
      async finish() {
        const file = memory.bytes();
        if (chosen === 'audio' && file.length <= mostBytesInResult) {
          const data = file.toString('base64');
          return { output: 'audio', place: 'in this result', content: [{ type: 'audio', data, mimeType }] };
        }
        const uri = kept.keep({ bytes: file, mimeType }, client.key?.name);
        const link = { type: 'resource_link', uri, name: `speech.${format}`, mimeType, size: file.length } as const;
        return { output: 'link', uri, place: `in the resource ${uri}`, content: [link] };
      },
    };
  }

  return defineTool({
    name: 'speak',
    title: 'Speak a text',
    description:
      'Turns text into speech: plays it, writes a file, or returns the audio. Choose a voice with list_voices, or clone one with clone_voice. Any length; long texts are split into parts.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    async call(given, call) {
      const arrived = performance.now();
      const { path: _p, output: _o, input: spoken, ...fields } = given;
      const { format, open, finish } = await destinationOf(given, call);
      const granted = await withGrantedRecordings(context, call, 'prompt_wav_path', given.prompt_wav_path);
      const named = given.prompt_wav_path && { prompt_wav_path: plainPath(given.prompt_wav_path) };
      const body = { ...fields, ...named, response_format: format } as Omit<z.output<typeof speechBody>, 'input'>;
      let result: CallToolResult | undefined;
      await speakLive(granted, call.client, { body, text: spoken, format }, async (speech) => {
        const { events, sampleRate, seed, warnings } = speech;
        let samples = 0;
        let firstAudio: number | undefined;
        await writeAll(await open(sampleRate), events, async (event) => {
          firstAudio ??= (performance.now() - arrived) / 1000;
          samples += event.samples.length;
          await call.progress(samples / sampleRate);
        });
        const seconds = Number((samples / sampleRate).toFixed(3));
        const { place, content, ...where } = await finish();
        const all = [...warnings()];
        const about = {
          ...where,
          seconds,
          first_audio_seconds: Number((firstAudio ?? 0).toFixed(3)),
          sample_rate: (audioFormats[format] as AudioFormat).sampleRate ?? sampleRate,
          seed,
          warnings: all,
        };
        const lines = [`${seconds} s of speech ${place} (seed ${seed}).`, ...all.map((line) => `Warning: ${line}`)];
        result = { content: [{ type: 'text', text: lines.join('\n') }, ...content], structuredContent: about };
      });
      return result as CallToolResult;
    },
  });
}

async function outputOf(
  { output: stated, path: file }: Input,
  { grantedFolders }: ToolCall,
  playsByDefault: () => Promise<boolean>,
): Promise<Output> {
  if (file && stated && stated !== 'file') {
    throw requestError(`path needs the output "file", got "${stated}"`, 'output');
  }
  if (stated === 'file' && !file) throw requestError('path is required with the output "file"', 'path');
  if (stated) return stated;
  if (file) return 'file';
  return grantedFolders !== undefined && (await playsByDefault()) ? 'play' : 'audio';
}

async function toFile({ path: name, response_format }: Input, call: ToolCall) {
  const file = await newFile(name ?? '', call);
  const format = formatOfPath(file);
  if (format === undefined || (response_format && response_format !== format)) {
    const endings = response_format ? `.${response_format}` : audioFormatNames.map((ending) => `.${ending}`).join(', ');
    throw requestError(`path must end with ${endings}, got ${quote(basename(file))}`, 'path');
  }
  const { mimeType } = audioFormats[format];
  return {
    format,
    open: (sampleRate: number) => createAudioFile(file, { format, sampleRate }),
    async finish() {
      const { size } = await stat(file);
      const uri = pathToFileURL(file).href;
      const link = { type: 'resource_link', uri, name: basename(file), mimeType, size } as const;
      return { output: 'file' as const, path: file, uri, place: `in the file ${file}`, content: [link] };
    },
  };
}
