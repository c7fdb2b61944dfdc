import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const read = (command: string, settings: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
  const { status, stdout, stderr } = spawnSync(command, settings, {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });
  return { status, stdout, stderr };
};

/** Installed by `npm run test:system`. */
const hadolint = join(process.env.PYTHONPATH ?? '', 'bin', 'hadolint');

it.each(['Dockerfile', 'Dockerfile.gpu', 'deploy/home-assistant/svc/Dockerfile'])(
  'the Dockerfiles %s passes hadolint',
  (file) => {
    expect(read(hadolint, [file])).toEqual({ status: 0, stdout: '', stderr: '' });
  },
);

describe('compose.yaml', () => {
  const compose = (settings: readonly string[], environment: Readonly<Record<string, string>>) =>
    // Written in Python, with its own packages.
    read('docker-compose', ['--file', 'compose.yaml', ...settings], { PYTHONPATH: '', ...environment });

  it('has hardened services at the ports of VoxCPM-ONNX', () => {
    const profiles = ['--profile', 'gpu', '--profile', 'scale'];
    const { status, stdout } = compose([...profiles, 'config'], { SVC_API_KEY: 'key' });
    expect(status).toBe(0);
    expect(stdout).toContain('127.0.0.1:8100:8000');
    expect(stdout).toContain('127.0.0.1:8101:8000');
    const { stdout: services } = compose([...profiles, 'config', '--services'], { SVC_API_KEY: 'key' });
    expect(services.trim().split('\n').sort()).toEqual(['cpu', 'front', 'gpu', 'postgres', 'redis', 'worker']);
    expect(stdout.match(/read_only: true/g)).toHaveLength(5);
  });

  it('requires an API key', () => {
    const { status, stderr } = compose(['config', '--quiet'], { SVC_API_KEY: '' });
    expect(status).not.toBe(0);
    expect(stderr).toContain('set a key of your own in .env');
  });
});
