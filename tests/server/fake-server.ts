/** A server with a fake backend in its own process, so that blocking it doesn't block the test. Prints its address. */
import { startServer } from './start-server.ts';

// Shorter than the default, so that refusing longer recordings takes less time.
const server = await startServer({ limits: { recordingSeconds: 20 } });
process.stdout.write(`${server.url}\n`);
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
