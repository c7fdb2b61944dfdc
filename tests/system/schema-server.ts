/** A server with a model that costs nothing, for clients that are generated from its OpenAPI document. Ends with standard input. */
import process from 'node:process';
import { silentPlayer, startServer } from '../server/start-server.ts';

const server = await startServer({
  settings: { apiKey: 'sk-test' },
  backend: { info: { patchSamples: 1280, inputPatchSamples: 640 } },
  openPlayer: async () => silentPlayer,
});
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
process.stdin.on('end', async () => {
  await server.close();
  process.exit(0);
});
process.stdin.resume();
