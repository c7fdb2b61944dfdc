import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const execute = promisify(execFile);
const hook = join(import.meta.dirname, '..', 'support', 'without-packages.mjs');
const module = join(import.meta.dirname, '..', '..', 'src', 'wyoming', 'announce.ts');

describe('announcement', () => {
  it('is left out with a warning when its package is not installed', async () => {
    const script = `
      const { announce } = await import(${JSON.stringify(module)});
      const logger = { info: console.log, debug: console.log };
      const warned = new Promise((resolve) => {
        logger.warn = (details, text) => resolve(console.log(details.reason, '|', text));
      });
      const { end } = announce({ host: '0.0.0.0', port: 1 }, logger);
      await warned;
      await end();`;
    const argv = ['--import', './tests/runner/register.js', '--import', hook, '--input-type=module', '--eval', script];
    const env = { ...process.env, TEST_WITHOUT: '@homebridge/ciao' };
    const { stdout } = await execute(process.execPath, argv, { env });
    expect(stdout).toMatch(
      /^announcing svc to Home Assistant needs @homebridge\/ciao; install it with: npm install .*@homebridge\/ciao@1/,
    );
    expect(stdout).toContain('| this server is not announced to the network; add it by its address');
  });
});
