/** A server over a fake runtime in a process of its own, so that what blocks it blocks no test. Writes its address. */
import { startServer } from './start-server.ts';

// Shorter than usual: refusing what is longer takes less time then.
const server = await startServer({ limits: { recordingSeconds: 20 } });
process.stdout.write(`${server.url}\n`);
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
