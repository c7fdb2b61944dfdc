import { describe, expect, it } from '@jest/globals';
import { protocolVersion } from '../../../src/broker/shared/keys.ts';
import type { WorkerReport } from '../../../src/broker/shared/registry.ts';
import { openHealthServer } from '../../../src/cli/worker/health-server.ts';
import { fakeInfo } from '../../engine/fake-backend.ts';

const report: WorkerReport = {
  name: 'here:1',
  version: protocolVersion,
  model: { identity: 'model', info: fakeInfo, adapters: [] },
  ...{ slots: 8, active: 2, done: 3, failed: 0, audioSeconds: 1.5, passes: 10, passMembers: 20 },
};

describe('openHealthServer', () => {
  it('reports whether the broker is reachable, and statistics', async () => {
    let reachable = true;
    const worker = { report: () => report, isReachable: () => reachable };
    let isStarted = false;
    const started = () => (isStarted ? worker : undefined);
    const server = await openHealthServer(started, { host: '127.0.0.1', port: 0 });
    const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`);
    try {
      expect((await get('/healthz')).status).toBe(503);
      expect(await (await get('/status')).json()).toEqual({ status: 'waiting for the broker' });
      isStarted = true;
      expect((await get('/healthz')).status).toBe(200);
      expect(await (await get('/status')).json()).toEqual(report);
      expect((await get('/other')).status).toBe(404);
      reachable = false;
      expect((await get('/healthz')).status).toBe(503);
      const taken = openHealthServer(started, { host: '127.0.0.1', port: server.port });
      const message = expect.stringContaining('already in use; choose another --health-port');
      await expect(taken).rejects.toMatchObject({ code: 'IO', message });
    } finally {
      await server.close();
    }
  });
});
