/** Speaks the requests of a connection, one after the other, each as a job of the queue. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Hold, Job } from '../admission/queue.ts';
import { encodePcm } from '../audio/wav-encode.ts';
import type { ModelContext, ServerContext } from '../server/context.ts';
import { problemOf } from '../server/problem.ts';
import { speechBody } from '../server/schemas/speech.ts';
import { createPatientWriter, createTurns } from '../server/send-audio.ts';
import { type OpenSpeech, openSpeech } from '../server/speech.ts';
import { orderOfBody } from '../server/speech-order.ts';
import { parse } from '../validation.ts';
import { encodeEvent, type WyomingEvent } from './event.ts';
import type { WyomingRequest } from './requests.ts';

type RequestOf<Type extends WyomingRequest['type']> = Extract<WyomingRequest, { readonly type: Type }> & {
  /** Name or alias; default: the first model. */
  readonly model: string | undefined;
};

export interface Speaker {
  /** Speaks a whole text. Does nothing between `begin` and `end`: for servers that can't stream, clients send both. */
  speak(request: RequestOf<'synthesize'>): Promise<void>;
  begin(request: RequestOf<'synthesize-start'>): void;
  push(text: string): Promise<void>;
  end(): Promise<void>;
  /** Whether text may follow. */
  readonly isOpen: () => boolean;
}

export interface SpeakerOptions {
  readonly socket: Socket;
  readonly send: (event: WyomingEvent) => Promise<void>;
  readonly signal: AbortSignal;
  /** Called when speech fails while its text is received. */
  readonly onFailure: (error: unknown) => void;
}

type SpeakJob = (context: ModelContext, job: Job) => Promise<OpenSpeech>;

export function createSpeaker(context: ServerContext, { socket, send, signal }: SpeakerOptions): Speaker {
  const { queue, models, metrics, logger, settings } = context;

  async function run(type: string, model: string | undefined, open: SpeakJob): Promise<void> {
    const arrived = performance.now();
    const name = randomUUID();
    let status = '200';
    let problem: object | undefined;
    try {
      await withJob(name, model, (modelContext, job) => speakJob(modelContext, job, open));
    } catch (error) {
      const { status: code, ...details } = problemOf(error);
      status = signal.aborted ? 'aborted' : String(code);
      problem = { code: details.code };
      throw error;
    } finally {
      const seconds = (performance.now() - arrived) / 1000;
      metrics.request({ method: 'WYOMING', route: type, status }, seconds);
      const req = { id: name, method: 'WYOMING', path: type, remoteAddress: socket.remoteAddress };
      logger.info({ req, status, ...problem, responseTime: Math.round(seconds * 1000) }, 'request completed');
    }
  }

  async function withJob(
    name: string,
    model: string | undefined,
    work: (context: ModelContext, job: Job) => Promise<void>,
  ): Promise<void> {
    let hold: Hold | undefined;
    try {
      const lease = await models.lease(models.resolve(model), {
        async wait(load) {
          hold = queue.hold({ name, signal });
          return load(hold.signal).finally(hold.ready);
        },
      });
      try {
        const { engine } = lease;
        const job = await queue.enter({ name, signal, hold });
        try {
          await work({ ...context, modelName: lease.name, engine, voices: context.voicesOf(engine), hold }, job);
        } finally {
          job.release();
        }
      } finally {
        lease.release();
      }
    } finally {
      hold?.release();
    }
  }

  async function speakJob(modelContext: ModelContext, job: Job, open: SpeakJob): Promise<void> {
    const rate = modelContext.engine.info.outputSampleRate;
    const format = { rate, width: 2, channels: 1 };
    const write = createPatientWriter(socket, job, settings.limits);
    const takeTurns = createTurns(job, settings.limits);
    const speech = await open(modelContext, job);
    try {
      let sent = 0;
      const timestamp = (): number => Math.round((sent * 1000) / rate);
      await write(encodeEvent({ type: 'audio-start', data: { ...format, timestamp: 0 } }));
      for await (const { samples } of speech.audio) {
        const data = { ...format, timestamp: timestamp() };
        await write(encodeEvent({ type: 'audio-chunk', data, payload: encodePcm(samples) }));
        sent += samples.length;
        await takeTurns(samples.length / rate);
      }
      await write(encodeEvent({ type: 'audio-stop', data: { timestamp: timestamp() } }));
      const warnings = speech.warnings();
      if (warnings.length > 0) logger.warn({ job: job.id, warnings }, 'speech had warnings');
    } finally {
      await speech.close();
    }
  }

  return {
    speak: ({ text, voice, text_format, model }) =>
      run('synthesize', model, async (modelContext, job) => {
        const rate = modelContext.engine.info.outputSampleRate;
        const body = parse(speechBody, { input: text, voice, input_format: formatOf(text_format) });
        const order = await orderOfBody(modelContext, body, { output: { format: 'pcm', rate }, signal });
        return openSpeech(modelContext, order, { job, arrived: performance.now() });
      }),
    begin: () => undefined,
    push: async () => undefined,
    end: async () => void (await send({ type: 'synthesize-stopped' })),
    isOpen: () => false,
  };
}

/** Unknown formats are those of later versions of the protocol. */
const formatOf = (format: string | null | undefined): 'ssml' | 'plain' => (format === 'ssml' ? 'ssml' : 'plain');
