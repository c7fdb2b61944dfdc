/**
 * Asks `/healthz` of the server at an address all the time, in a process that has nothing else to do, over a new connection each
 * time, as Kubernetes does. Answers each message with the milliseconds of the answers since the last one.
 */
import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const everyMilliseconds = 5;
const [url = ''] = process.argv.slice(2);

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/healthz`, { agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`/healthz answers ${response.statusCode}`));
      response.resume().once('end', resolve);
    });
    // Such as a connection that the server closed for being idle.
    request.once('error', () => resolve());
  });
}

const times: number[] = [];
process.on('message', () => process.send?.(times.splice(0)));
process.once('disconnect', () => process.exit());
for (;;) {
  const asked = performance.now();
  await ask();
  times.push(performance.now() - asked);
  await wait(everyMilliseconds);
}
