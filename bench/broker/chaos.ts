/** Sends requests while workers are killed at random; every answer must equal that of a single process. */

import { setTimeout as wait } from 'node:timers/promises';
import type { SvcProcess } from '../svc-process.ts';
import { type Comparison, compareSamples, isSame } from './comparison.ts';
import { killRepeatedly } from './kill-repeatedly.ts';
import { samplesOf, speak, startWorker } from './processes.ts';

export interface ChaosOptions {
  /** Called after the workers have started. */
  readonly frontUrl: () => Promise<string>;
  readonly broker: string;
  readonly workers: number;
  /** Texts of the requests; seeds count from 1. */
  readonly texts: readonly string[];
  /** Concurrent requests. */
  readonly together: number;
  /** Mean number of answers between two kills. A time would, on a slow machine, kill every worker of a request. */
  readonly answersBetweenKills: number;
  /** Answers of a single process. */
  readonly expected: readonly Int16Array[];
}

export interface ChaosOutcome {
  readonly complete: number;
  readonly different: readonly (Comparison & { readonly request: number })[];
  readonly failed: readonly string[];
  readonly largestDifference: number;
  readonly kills: number;
  readonly seconds: number;
}

export async function runChaos(options: ChaosOptions): Promise<ChaosOutcome> {
  const { broker, texts, expected } = options;
  const workers: SvcProcess[] = [];
  for (let index = 0; index < options.workers; index += 1) workers.push(await startWorker(broker, '--max-batch', '4'));
  const url = await options.frontUrl();

  async function killOne(): Promise<void> {
    const victim = Math.floor(Math.random() * workers.length);
    await workers[victim]?.stop('SIGKILL');
    workers[victim] = await startWorker(broker, '--max-batch', '4');
  }

  const different: (Comparison & { readonly request: number })[] = [];
  const failed: string[] = [];
  let [complete, largestDifference, next, answers] = [0, 0, 0, 0];
  const started = performance.now();

  async function askOneAfterAnother(): Promise<void> {
    for (let index = next++; index < texts.length; index = next++) {
      try {
        const samples = await samplesOf(await speak(url, texts[index] as string, { seed: index + 1 }));
        const comparison = compareSamples(samples, expected[index] as Int16Array);
        if (isSame(comparison)) complete += 1;
        else different.push({ ...comparison, request: index });
        if (comparison.sameLength) largestDifference = Math.max(largestDifference, comparison.difference);
      } catch (error) {
        failed.push(`${index}: ${error instanceof Error ? `${error.message} ${error.cause ?? ''}` : error}`);
      }
      answers += 1;
    }
  }

  async function someAnswers(signal: AbortSignal): Promise<void> {
    const last = answers + options.answersBetweenKills * (0.5 + Math.random());
    while (answers < last) await wait(50, undefined, { signal });
  }

  try {
    const { kills } = await killRepeatedly(someAnswers, killOne, () =>
      Promise.all(Array.from({ length: options.together }, askOneAfterAnother)),
    );
    return { complete, different, failed, largestDifference, kills, seconds: (performance.now() - started) / 1000 };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop('SIGKILL')));
  }
}
