/** Promises of compose.yaml and the Kubernetes manifests; the system tests run them through the tools themselves. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { defaultLimits } from '../../src/server/context/settings.ts';

interface Service {
  readonly tmpfs?: readonly string[];
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const read = (...path: readonly string[]): string => readFileSync(join(process.cwd(), ...path), 'utf8');
const { services } = parse(read('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};

const units: Readonly<Record<string, number>> = { m: 2 ** 20, Mi: 2 ** 20, Gi: 2 ** 30 };
function bytesOf(size = ''): number {
  const [, count, unit = ''] = /^(\d+)(\w+)$/.exec(size) ?? [];
  return Number(count) * (units[unit] ?? Number.NaN);
}

describe('compose.yaml', () => {
  it('bounds the memory of temporary files, with room for those of svc', () => {
    for (const [name, { tmpfs = [] }] of Object.entries(services)) {
      const sizes = tmpfs.map((mount) => bytesOf(/:size=(\w+)$/.exec(mount)?.[1]));
      expect([name, sizes.every((size) => size > 0)]).toEqual([name, true]);
      if (['cpu', 'gpu', 'front'].includes(name)) expect(sizes[0]).toBeGreaterThan(defaultLimits.temporaryBytes);
    }
  });

  it('has no password of its own for Redis and PostgreSQL', () => {
    expect(services.front?.environment).toMatchObject({
      // biome-ignore lint/suspicious/noTemplateCurlyInString: of compose
      SVC_BROKER_URL: 'redis://:${SVC_REDIS_PASSWORD:-}@redis:6379',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: of compose
      SVC_DATABASE_URL: 'postgres://svc:${SVC_DATABASE_PASSWORD:-}@postgres:5432/svc',
    });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: of compose
    expect(services.postgres?.environment.POSTGRES_PASSWORD).toBe('${SVC_DATABASE_PASSWORD:-}');
    expect(services.worker?.environment.SVC_BROKER_URL).toBe(services.front?.environment.SVC_BROKER_URL);
  });

  it('does not start Redis without a password', async () => {
    const [program = '', ...words] = (services.redis?.command ?? []).map((word) => word.replaceAll('$$', '$'));
    const started = words.map((word) => word.replace('redis-server', 'echo'));
    const run = (password: string) =>
      promisify(execFile)(program, started, { env: { PATH: process.env.PATH, REDISCLI_AUTH: password } });
    await expect(run('')).rejects.toMatchObject({ stderr: expect.stringContaining('set SVC_REDIS_PASSWORD in .env') });
    expect((await run('own')).stdout).toMatch(/ --requirepass own\n$/);
  });
});

it.each(['front.yaml', 'worker.yaml'])('%s bounds every folder for temporary files', (file) => {
  const [deployment] = parseAllDocuments(read('deploy', 'kubernetes', 'base', file)).map((document) => document.toJS());
  const volumes = deployment.spec.template.spec.volumes as readonly {
    readonly name: string;
    readonly emptyDir?: { readonly sizeLimit?: string };
  }[];
  for (const { name, emptyDir } of volumes) {
    if (emptyDir === undefined) continue;
    const size = bytesOf(emptyDir.sizeLimit);
    expect([name, size > (name === 'tmp' ? defaultLimits.temporaryBytes : 0)]).toEqual([name, true]);
  }
});
