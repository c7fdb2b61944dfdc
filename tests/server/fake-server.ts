/** A server over a fake runtime in a process of its own, so that what blocks it blocks no test. Writes its address. */
import { startServer } from './start-server.ts';

const server = await startServer();
process.stdout.write(`${server.url}\n`);
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
