/** Speech for connections whose text arrives bit by bit: one utterance after another, each of them a request. */
import type { Job } from '../../admission/queue.ts';
import type { AudioFormatName } from '../../audio/encode/format.ts';
import type { LiveText } from '../../engine/live/live-text.ts';
import type { SpeechEvent } from '../../engine/speech-event.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { startSpan, withSpan } from '../../tracing/span.ts';
import type { Client } from '../context/client.ts';
import type { ModelContext, ServerContext } from '../context/context.ts';
import { outputRate } from '../context/output-rate.ts';
import type { OpenTemporaryFile } from '../context/temporary-file.ts';
import type { StoredKey } from '../http/api-keys.ts';
import { createFairness } from '../jobs/fairness.ts';
import { withJobOf } from '../jobs/jobs.ts';
import { withModelOf } from '../jobs/model-context.ts';
import { isRefusal, rateProblem } from '../middleware/authorize.ts';
import type { LiveBody, ScriptInput } from '../schemas/speech.ts';
import { type AcceptedRequest, acceptJson, acceptLiveJson } from '../speech/accepted-request.ts';
import { openSpeech, type SpeechInProgress } from '../speech/speech.ts';

export interface LiveUtterance {
  readonly body: LiveBody;
  readonly text: LiveText | ScriptInput;
  readonly format: AudioFormatName;
  readonly timestamps?: Extract<AcceptedRequest['timestamps'], 'none' | 'word'>;
}

export interface LiveSpeech extends Pick<SpeechInProgress, 'seed' | 'warnings'> {
  /** Read them to the end. Give way to other requests between two. */
  readonly events: AsyncIterable<SpeechEvent>;
  /** In Hz. */
  readonly sampleRate: number;
  readonly job: Job;
  readonly openTemporaryFile: OpenTemporaryFile;
}

/**
 * Speaks an utterance as a request of the queue: counted by the limits of its API key, canceled with `client.signal` and by
 * its `requestId`, and ended by a shutdown. While its writer pauses, it holds no slot.
 *
 * @param deliver called with the first audio, or at the end of a text without words
 * @throws SvcError UNAUTHORIZED for a key that was revoked; of the request and the speech; what `deliver` throws
 */
export async function speakLive(
  context: ServerContext,
  opener: Client,
  utterance: LiveUtterance,
  deliver: (speech: LiveSpeech) => Promise<void>,
): Promise<void> {
  const arrived = performance.now();
  const span = opener.span?.child('utterance') ?? startSpan('utterance', { kind: 'server' });
  const client = { ...opener, key: currentKey(context, opener), span };
  countRequest(context, client);
  let hasBegun = false;
  const spoken = withSpan(span, () =>
    withModelOf(context, utterance.body, client, async (context) => {
      const accepted = await accept(context, utterance);
      const speak = async (job: Job): Promise<void> => {
        const { sampleRate } = accepted;
        const giveWay = createFairness(job, context.settings.limits);
        const speech = await openSpeech(context, accepted, { job, arrived });
        async function* events(): AsyncGenerator<SpeechEvent, void, undefined> {
          for await (const event of speech.events) {
            yield event;
            await giveWay(event.samples.length / sampleRate);
          }
        }
        hasBegun = true;
        try {
          await deliver({ ...speech, events: events(), sampleRate, job, openTemporaryFile: context.openTemporaryFile });
        } finally {
          await speech.close();
        }
        const warnings = speech.warnings();
        const about = { requestId: client.requestId, key: client.key?.name, job: job.id };
        context.logger.info({ ...about, milliseconds: Math.round(performance.now() - arrived) }, 'utterance completed');
        if (warnings.length > 0) context.logger.warn({ job: job.id, warnings }, 'speech had warnings');
      };
      await withJobOf(context, client, speak, accepted);
    }),
  );
  try {
    await spoken;
  } catch (error) {
    if (!hasBegun && client.key !== undefined && isRefusal(toSvcError(error).status)) {
      context.rates.refund(client.key);
    }
    throw error;
  }
}

function accept(context: ModelContext, utterance: LiveUtterance): Promise<AcceptedRequest> {
  const { body, text, format, timestamps = 'none' } = utterance;
  const { engine, settings } = context;
  const output = { format, rate: outputRate(format, engine.info.outputSampleRate, settings.pcmRate) };
  return typeof text === 'string' || Array.isArray(text)
    ? acceptJson(context, { ...body, input: text, timestamps }, { output })
    : acceptLiveJson(context, body, { text, output, timestamps });
}

/** The key may be revoked, or get other limits, while a connection is open. @throws SvcError UNAUTHORIZED */
function currentKey({ settings }: ServerContext, { key }: Client): StoredKey | undefined {
  if (key === undefined) return undefined;
  const current = settings.findKey?.(key.digest);
  if (current === undefined) throw new SvcError('UNAUTHORIZED', 'this API key was revoked');
  return current;
}

/** @throws SvcError RATE_LIMITED */
export function countRequest({ rates }: ServerContext, { key }: Client): void {
  const state = key && rates.count(key);
  if (state?.isExceeded) throw rateProblem(state);
}
