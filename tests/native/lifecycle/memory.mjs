/** Prints the memory of the process in MB: before, with open sessions, and after closing them. */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openModel, openSession, speak } from './addon.mjs';

const [path, kernels, kind] = process.argv.slice(2);
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

/** Memory without what JavaScript may give back: the second collection waits until the arrays of the first are freed. */
function held() {
  collectGarbage();
  collectGarbage();
  return Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
}

const model = await openModel(path, 1, kernels);

/** Sessions that have generated patches, alone and in batches. */
async function useSessions(count) {
  const sessions = [];
  for (let index = 0; index < count; index++) sessions.push(await openSession(model, 200));
  for (const session of sessions.slice(0, 4)) await speak(model, [session]);
  for (let first = 0; first < count; first += 4) await speak(model, sessions.slice(first, first + 4));
  const open = held();
  for (const session of sessions) await model.closeSession(session);
  return open;
}

/** Sessions whose prefix is never complete. */
async function dropSessions(count) {
  const prefix = { tokens: new Int32Array(200), audioMask: new Uint8Array(200), features: new Float32Array(0) };
  const sessions = [];
  for (let index = 0; index < count; index++) {
    sessions.push(await model.open({ ...prefix, cfg: 2, timesteps: 10 }));
    await model.prefill(sessions[index]);
  }
  const open = held();
  for (const session of sessions) await model.closeSession(session);
  return open;
}

/** Recordings whose encoding stops after the first second. */
async function dropRecordings(count) {
  const recordings = [];
  for (let index = 0; index < count; index++) {
    recordings.push(await model.openEncoding(new Float32Array(400_000).fill(0.1)));
    await model.encode(recordings[index]);
  }
  const open = held();
  for (const recording of recordings) await model.closeEncoding(recording);
  return open;
}

const use = { useSessions, dropSessions, dropRecordings }[kind];
await use(2); // what is made once and stays
const before = held();
// A recording takes as much as four sessions.
const open = await use(kind === 'dropRecordings' ? 8 : 24);
console.log(JSON.stringify({ before, open, after: held() }));
await model.close();
