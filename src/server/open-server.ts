/** Starts a server for models and a voice store: creates the context and the application, opens the socket. */
import type { AudioFormatName } from '../audio/encode/format.ts';
import { prepareResampling } from '../audio/resample/library-resample.ts';
import { messageOf } from '../errors.ts';
import { createApp } from './app.ts';
import type { ServerContext } from './context/context.ts';
import { type ContextOptions, createContext } from './create-context.ts';
import type { Dialect } from './dialects/dialect.ts';
import { dialects as allDialects } from './dialects/dialects.ts';
import { type ListenOptions, listen, type RunningServer } from './listen.ts';
import { sweepConsents } from './recordings/consent-store.ts';

/** Another way in, for clients that don't speak HTTP. */
export interface ProtocolServer {
  /** As `RunningServer.close`. */
  close(milliseconds: number): Promise<void>;
}

export interface ServerOptions extends Omit<ContextOptions, 'listing' | 'dialects'> {
  /** APIs beside the public one; default: all. */
  readonly dialects?: readonly Dialect[];
  readonly listen: ListenOptions;
  /** Formats whose codec is loaded before a request; default: that of the public API, MP3. */
  readonly formatsAhead?: readonly AudioFormatName[] | undefined;
  readonly openProtocolServer?: ((context: ServerContext) => Promise<ProtocolServer>) | undefined;
}

/** The caller closes models and store, after the server. */
export async function openServer(options: ServerOptions): Promise<RunningServer> {
  const { settings, logger, dialects = allDialects } = options;
  const context = await createContext({ ...options, dialects });
  await sweep(settings, logger);
  const onError = ({ message }: Error): void => logger.error({ reason: message }, 'socket failed');
  const server = await listen(createApp(context, dialects), context.queue, {
    onError,
    sockets: context.sockets,
    stallMilliseconds: settings.limits.stallMilliseconds,
    ...options.listen,
  });
  const front = await options.openProtocolServer?.(context).catch(async (error) => {
    await server.close(0);
    throw error;
  });
  // With the resampler of the `pcm` of the public API; otherwise the first request would wait for them.
  for (const format of options.formatsAhead ?? ['mp3']) context.encoders.prepare(format);
  // A request that needs it reports the error.
  prepareResampling().catch(() => undefined);
  return {
    ...server,
    async close(milliseconds) {
      const mcp = context.mcpSessions.close(() => context.queue.drain(milliseconds));
      await Promise.all([server.close(milliseconds), mcp, front?.close(milliseconds)]);
      await context.encoders.close();
    },
  };
}

/** Removes recordings of people that a killed process has left. */
async function sweep({ consentFolder }: ContextOptions['settings'], logger: ContextOptions['logger']): Promise<void> {
  try {
    const files = await sweepConsents(consentFolder);
    if (files > 0) logger.info({ files }, 'recordings of consent that were not complete were removed');
  } catch (error) {
    logger.warn({ reason: messageOf(error) }, 'recordings of consent that are not complete cannot be removed');
  }
}
