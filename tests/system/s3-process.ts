/** A store that speaks the protocol of S3, whose buckets are folders. Needs the Python package nanio. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { freePort } from '../../bench/broker/redis-process.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface S3Process extends AsyncDisposable {
  /** Folder of the bucket `speech`. */
  readonly bucket: string;
  /** Variables of a process that uses the store. */
  readonly environment: Readonly<Record<string, string>>;
}

const [key, secret] = ['svc-key', 'svc-secret-key'] as const;

export async function startS3(): Promise<S3Process> {
  const folder = await temporaryFolder();
  const bucket = folder.join('speech');
  await mkdir(bucket);
  const port = await freePort();
  const settings = ['-m', 'nanio', 'serve', '--data-dir', folder.path, '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn('python3', settings, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, NANIO_ACCESS_KEY: key, NANIO_SECRET_KEY: secret },
  });
  let log = '';
  child.stderr.on('data', (part: Buffer) => {
    log = `${log}${part}`.slice(-10_000);
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const answers = (): Promise<boolean> =>
    fetch(endpoint).then(
      () => true,
      () => {
        if (child.exitCode !== null) throw new Error(`nanio ended: ${log}`);
        return false;
      },
    );
  await eventually(answers, 'the store answers');
  return {
    bucket,
    environment: { AWS_ENDPOINT_URL_S3: endpoint, AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret },
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
      await folder[Symbol.asyncDispose]();
    },
  };
}
