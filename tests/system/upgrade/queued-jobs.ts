/** Jobs in the queue of a broker, as BullMQ stores them. */
import type { Redis } from 'ioredis';

export interface QueuedJob {
  readonly key: string;
  /** JSON. */
  readonly data: string;
  /** Float values of the request: base64; empty if it has none. */
  readonly input: string;
}

export async function readJobs(client: Redis): Promise<readonly QueuedJob[]> {
  const jobs: QueuedJob[] = [];
  for (const key of await client.keys('*')) {
    if ((await client.type(key)) !== 'hash') continue;
    const data = await client.hget(key, 'data');
    if (data === null) continue;
    const { task } = JSON.parse(data) as { readonly task: string };
    const [input] = (await client.keys('*')).filter((name) => name.endsWith(`:input:${task}`));
    const floats = input === undefined ? null : await client.getBuffer(input);
    jobs.push({ key, data, input: floats?.toString('base64') ?? '' });
  }
  return jobs;
}
