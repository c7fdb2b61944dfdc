/** Parts of speech that may be retracted: several are generated at once, and passed on in order when they are finished. */
import { canceled } from '../../cancellation.ts';
import { ignore, SvcError } from '../../errors.ts';
import type { PlannedPart } from '../plan/plan.ts';
import { type KeptSections, sectionsOf } from './kept-sections.ts';
import { learnVoice } from './part-voice.ts';
import {
  type OnPatch,
  type PartEngine,
  type PartOutcome,
  type Progress,
  type Speaking,
  speakPart,
} from './speak-part.ts';

export interface FinishedPartsOptions {
  /** Maximum number of parts generated at once; twice as many are held. */
  readonly most: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Ends the signal of the speech. */
  stop(): void;
}

export interface PlannedParts {
  readonly plan: AsyncIterable<PlannedPart> | Iterable<PlannedPart>;
  readonly first: number;
  /** Number of parts of the text, for reports. */
  readonly total: number;
}

export async function* finishedParts(
  engine: PartEngine,
  { plan, first, total }: PlannedParts,
  speaking: Speaking,
  { most: atMost, onProgress, stop }: FinishedPartsOptions,
): AsyncGenerator<PartOutcome, void, undefined> {
  const { speakerOf, signal } = speaking;
  const planned = itemsOf(plan);
  const waiting: PlannedPart[] = [];
  let isPlanned = false;
  let count = first;
  const started: Promise<PartOutcome>[] = [];
  const done = new Set<number>();
  /** Number of leading parts that are all finished. */
  let finished = first;
  let taken = first;
  let isOver = false;

  /** Plans the parts that may start next, so that which ones do never depends on how long planning takes. */
  async function planAhead(): Promise<void> {
    for (; !isPlanned && count <= taken + 2 * atMost; count += 1) {
      const next = await planned.next();
      if (next.done) isPlanned = true;
      else waiting.push(next.value);
    }
  }

  /**
   * Starts the parts that may run now. Unless the consumer is slower than the model, text and seed alone determine which
   * parts share a pass, so that the same call gives bit-identical samples.
   */
  function launch(): void {
    for (let [part] = waiting; part !== undefined && !signal.aborted; [part] = waiting) {
      const { index, voice } = part;
      const most = speakerOf(voice).voice.isKnown ? atMost : 1;
      if (index - finished >= most || index - taken >= 2 * atMost) return;
      const onPatch: OnPatch = (report) =>
        onProgress?.({ ...report, part: index + 1, parts: total, finished: first + done.size });
      const outcome = outcomeOf(speakPart(engine, part, speaking, onPatch)).then((result) => {
        done.add(index);
        for (; done.has(finished); finished += 1);
        launch();
        return result;
      });
      void outcome.catch(ignore);
      started.push(outcome);
      waiting.shift();
    }
  }

  try {
    await planAhead();
    for (launch(); started.length > 0; launch()) {
      const outcome = await (started[0] as Promise<PartOutcome>);
      started.shift();
      yield outcome;
      taken += 1;
      await planAhead();
    }
    // No part starts after the signal, so the speech is incomplete.
    if (waiting.length > 0 || !isPlanned) throw canceled(signal);
    isOver = true;
  } finally {
    if (!isOver) stop();
    await planned.return();
    await Promise.allSettled(started);
  }
}

/** Section by section, with those that an earlier call has kept. */
export async function* keptParts(
  engine: PartEngine,
  parts: readonly PlannedPart[],
  speaking: Speaking,
  { sections, ...options }: FinishedPartsOptions & { readonly sections: KeptSections },
): AsyncGenerator<PartOutcome, void, undefined> {
  for (const section of sectionsOf(parts)) {
    const first = section[0]?.index ?? 0;
    const kept = await sections.read(section);
    for (const [number, outcome] of kept?.entries() ?? []) {
      const part = section[number] as PlannedPart;
      const speaker = speaking.speakerOf(part.voice);
      const spoken = { ...outcome, part, text: part.text, style: part.style };
      speaker.voice = learnVoice(speaker.voice, spoken, engine.backend.info);
      yield spoken;
    }
    if (kept !== undefined) continue;
    const made: PartOutcome[] = [];
    const planned = { plan: section, first, total: parts.length };
    for await (const outcome of finishedParts(engine, planned, speaking, options)) {
      made.push(outcome);
      if (made.length === section.length) await sections.keep(section, made);
      yield outcome;
    }
  }
}

async function outcomeOf(items: ReturnType<typeof speakPart>): Promise<PartOutcome> {
  for await (const item of items) if ('tries' in item) return item;
  throw new SvcError('INTERNAL', 'a part without an outcome');
}

async function* itemsOf<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  yield* items;
}
