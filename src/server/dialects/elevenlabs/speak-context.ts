/** Speaks the text of one context of a WebSocket, as messages with audio and alignments. */
import { createByteSink, through } from '../../../audio/encode/sink.ts';
import type { TextFeed } from '../../../engine/live/text-feed.ts';
import { asLanguage } from '../../../engine/request-fields.ts';
import { parse } from '../../../validation.ts';
import type { Client } from '../../context/client.ts';
import type { ServerContext } from '../../context/context.ts';
import type { LiveSocket } from '../../context/live-socket.ts';
import { type LiveSpeech, speakLive } from '../../live/speak-live.ts';
import { liveBody } from '../../schemas/speech.ts';
import { createSlowClientWriter } from '../../speech/slow-client-writer.ts';
import { createMessageAlignments, type MessageAlignment } from './alignment.ts';
import { defaultOutputFormat, readOutputFormat } from './output-format.ts';
import { chooseModel, normalizeOf, type StreamMessage, type StreamQuery } from './schemas.ts';

export interface SpokenContext {
  readonly voice: string;
  readonly query: StreamQuery;
  readonly settings: StreamMessage['voice_settings'];
  readonly feed: TextFeed;
  readonly fields: object;
}

export async function speakContext(
  context: ServerContext,
  socket: LiveSocket,
  client: Client,
  { voice, query, settings, feed, fields }: SpokenContext,
): Promise<void> {
  const { format, rate, coding } = readOutputFormat(query.output_format ?? defaultOutputFormat);
  const body = parse(liveBody, {
    model: chooseModel(context, query.model_id),
    voice,
    seed: query.seed,
    speed: settings?.speed,
    language: asLanguage(query.language_code),
    normalize: normalizeOf(query.apply_text_normalization),
    sample_rate: rate,
  });
  // Opened early, so that the codec loads while the first audio is generated.
  const encoder = context.encoders.open({ format, sampleRate: rate, ...coding });
  let bytes: Uint8Array[] = [];
  const sink = through(
    encoder,
    createByteSink(async (more) => void bytes.push(more)),
  );

  async function deliver({ events, job }: LiveSpeech): Promise<void> {
    const align = createMessageAlignments(query.sync_alignment ? 'speech' : 'message');
    let alignment: MessageAlignment | null = null;
    const messageOf = (audio: Uint8Array): string =>
      JSON.stringify({
        audio: Buffer.from(audio).toString('base64'),
        isFinal: null,
        alignment,
        normalizedAlignment: alignment,
        ...fields,
      });
    const send = createSlowClientWriter(job, context.settings.limits, (audio) => socket.send(messageOf(audio)));
    async function pass(): Promise<void> {
      const audio = Buffer.concat(bytes);
      bytes = [];
      if (audio.length > 0 || alignment !== null) await send(audio);
      alignment = null;
    }
    for await (const { samples, sentences = [] } of events) {
      await sink.write(samples);
      alignment = align(sentences);
      await pass();
    }
    await sink.finish();
    await pass();
  }

  try {
    await speakLive(context, client, { body, text: feed.text, format, timestamps: 'word' }, deliver);
  } finally {
    feed.end();
    // Not awaited: a codec may still be loading.
    void sink.abort();
  }
}
