/** Finds the master of a group of Sentinels, again and again. */
import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * While it reconnects, news of a failover from before would break off the attempt, and the Redis library would give up
 * for good.
 */
export class SteadySentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...parameters: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    // Each connection gets a detector of its own.
    (Reflect.get(this, 'failoverDetector') as { cleanup(): void } | null)?.cleanup();
    return super.connect(...parameters);
  }
}
