/** Tries a GPU library in a child process, which a faulty driver may end or keep waiting. */
import { causeOf, collectWords, describeEnd, forkProgram } from '../../../../child-program.ts';
import type { PlainError } from '../../../../errors.ts';
import type { NativeDevice } from '../addon.ts';
import type { CheckEvent, CheckTask } from './check-program.ts';

export interface Problem {
  /**
   * `load`: the library doesn't load; `unsupported`: the device is too old; `crash`: it ended its process; `hang`: it didn't
   * answer; `error`: it reported one.
   */
  readonly kind: 'load' | 'unsupported' | 'crash' | 'hang' | 'error';
  /** One line. */
  readonly cause: string;
  /** The way out, where it is known. */
  readonly remedy?: string | undefined;
}

export interface CheckedDevice {
  readonly device: NativeDevice;
  /** Why it can't be used; undefined if it works. */
  readonly problem?: Problem | undefined;
}

export interface LibraryReport {
  readonly devices: readonly CheckedDevice[];
  /** Why none of its devices is known. */
  readonly problem?: Problem | undefined;
}

/** Milliseconds without a sign of life after which a device is given up; enough to compile kernels for a new card. */
export const defaultPatience = 120_000;

/** The operations of a test that a card can do without: it is tried again with the module alone that it needs. */
const isOptional = (operation: string): boolean => operation.startsWith('products of warpgroups');

interface Run {
  readonly devices: readonly NativeDevice[] | undefined;
  readonly checked: readonly CheckedDevice[];
  readonly current: string | undefined;
  /** Cards that failed an operation that they can do without, and how. */
  readonly plain: ReadonlyMap<string, string>;
  readonly problem: Problem | undefined;
}

/**
 * Loads the library and tries each of its devices. One that ends the process is left out of the next, so that it doesn't
 * rule out the others. Never rejects.
 */
export async function checkLibrary(
  task: Omit<CheckTask, 'known' | 'plain'>,
  patience: number = defaultPatience,
): Promise<LibraryReport> {
  const checked = new Map<string, CheckedDevice>();
  const plain = new Map<string, string>();
  for (;;) {
    const run = await runCheck({ ...task, known: [...checked.keys()], plain }, patience);
    for (const one of run.checked) checked.set(one.device.name, one);
    for (const [name, why] of run.plain) plain.set(name, why);
    if (run.plain.size > 0) continue;
    const device = run.devices?.find(({ name }) => name === run.current);
    if (run.problem === undefined) return { devices: [...checked.values()] };
    if (device === undefined) return { devices: [...checked.values()], problem: run.problem };
    checked.set(device.name, { device, problem: run.problem });
    if (run.devices?.every(({ name }) => checked.has(name))) return { devices: [...checked.values()] };
  }
}

function runCheck(task: CheckTask, patience: number): Promise<Run> {
  return new Promise((resolve) => {
    const child = forkProgram('./check-program', import.meta.url);
    const words = collectWords(child);
    const checked: CheckedDevice[] = [];
    const plain = new Map<string, string>();
    let devices: readonly NativeDevice[] | undefined;
    let current: string | undefined;
    let operation = '';
    let isDone = false;
    let problem: Problem | undefined;
    const watch = setTimeout(() => {
      problem = { kind: 'hang', cause: `did not answer in ${patience / 1000} s` };
      child.kill('SIGKILL');
    }, patience);
    const note = (device: NativeDevice | undefined, found?: Problem): void => {
      if (device !== undefined) checked.push({ device, problem: found });
      current = undefined;
      operation = '';
    };
    const named = (name: string): NativeDevice | undefined => devices?.find((one) => one.name === name);
    child.on('message', (event: CheckEvent) => {
      watch.refresh();
      if (event.kind === 'devices') devices = event.devices;
      else if (event.kind === 'checking') ({ name: current, operation } = event);
      else if (event.kind === 'works') note({ ...event.device, ...event.memory });
      else if (event.kind === 'unsupported')
        note(named(event.name), { kind: 'unsupported', cause: withLog(event.error, '') });
      else if (event.kind === 'fails' && isOptional(operation)) {
        plain.set(event.name, during(withLog(event.error, words())));
        note(undefined);
      } else if (event.kind === 'fails')
        note(named(event.name), {
          kind: 'error',
          cause: during(withLog(event.error, words())),
          remedy: event.error.remedy,
        });
      else if (event.kind === 'unusable')
        problem = { kind: 'load', cause: withLog(event.error, ''), remedy: event.error.remedy };
      else isDone = true;
    });
    const during = (cause: string): string => (operation === '' ? cause : `${operation}: ${cause}`);
    const end = (otherwise: Problem): void => {
      clearTimeout(watch);
      const { kind, cause, remedy } = problem ?? otherwise;
      if (!isDone && current !== undefined && isOptional(operation)) plain.set(current, during(cause));
      const found = isDone ? undefined : { kind, cause: during(cause), remedy };
      resolve({ devices, checked, current, plain, problem: found });
    };
    child.on('error', ({ message }) => end({ kind: 'crash', cause: message }));
    child.on('close', (code, signal) => end({ kind: 'crash', cause: describeEnd(code, signal, words()) }));
    child.send(task, () => undefined);
  });
}

/** A message of ggml in one line, with what the library printed. */
function withLog({ problem, message }: PlainError, words: string): string {
  const text = (problem ?? message).split('\n')[0] ?? '';
  const cause = causeOf(words);
  return cause === '' || text.includes(cause)
    ? text.trim().replace(/:$/, '')
    : `${text.trim().replace(/:$/, '')}: ${cause}`;
}
