/** Workers with simulated models, in one process. Arguments: broker, queue, workers, slots of each, speed. */
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { parseBrokerUrl } from '../../../src/broker/shared/address.ts';
import { startBrokerWorker } from '../../../src/broker/worker/broker-worker.ts';
import { simulateSpeech } from './simulated-speech.ts';

const [broker = '', queue = '', workers, slots, speed] = process.argv.slice(2);
const address = parseBrokerUrl(broker);
const logger = pino({ level: 'warn' }, process.stderr);

for (let index = 0; index < Number(workers); index += 1) {
  await startBrokerWorker({
    address,
    queue,
    engine: simulateSpeech(Number(speed)),
    identity: 'simulated',
    adapters: [],
    slots: Number(slots),
    logger,
  });
  // Workers that start together would also step together.
  await wait(10);
}
process.send?.('ready');
process.once('disconnect', () => process.exit());
