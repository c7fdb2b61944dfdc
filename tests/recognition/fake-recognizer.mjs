/**
 * A recognizer for tests: `node fake-recognizer.mjs FOLDER FILE.wav` prints the next line of FOLDER/lines. A line may
 * also be `!exit CODE MESSAGE`, `!flood`, or `!hang`, which leaves a child behind. FOLDER/calls lists what it was given.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, file] = process.argv.slice(2);
const wav = readFileSync(file);
const calls = join(folder, 'calls');
const count = existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').length - 1 : 0;
const call = {
  file,
  tag: wav.toString('latin1', 0, 4),
  sampleRate: wav.readUInt32LE(24),
  channels: wav.readUInt16LE(22),
  bits: wav.readUInt16LE(34),
  samples: wav.readUInt32LE(40) / 2,
};
appendFileSync(calls, `${JSON.stringify(call)}\n`);
const line = readFileSync(join(folder, 'lines'), 'utf8').split('\n')[count] ?? '';
const [order, code, ...words] = line.split(' ');
if (order === '!exit') {
  process.stderr.write(`loading the model\n${words.join(' ')}\n`);
  process.exitCode = Number(code);
} else if (order === '!flood') {
  process.stdout.write('a '.repeat(1024 * 1024));
} else if (order === '!hang') {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'inherit' });
  writeFileSync(join(folder, 'pids'), `${process.pid} ${child.pid}`);
  setInterval(() => undefined, 1000);
} else {
  process.stdout.write(`${line}\n`);
}
