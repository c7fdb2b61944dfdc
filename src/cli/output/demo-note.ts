import type { ModelInfo } from '../../engine/backend.ts';
import { demoModelName } from '../../engine/demo-model.ts';
import type { Io } from '../io.ts';
import type { OutputOptions } from '../options/output-options.ts';
import { printNote } from './messages.ts';

const text =
  'this is the demo model, which shows the software and not how VoxCPM sounds; ' +
  "get a real model with 'svc models pull voxcpm-0.5b', and use it with --model voxcpm-0.5b";

/** Notes on a terminal that the demo model is used, and how to get another. */
export function noteDemoModel(
  { name }: Pick<ModelInfo, 'name'>,
  { quiet }: Pick<OutputOptions, 'quiet'>,
  io: Pick<Io, 'stderr' | 'environment'>,
): void {
  if (name === demoModelName && io.stderr.isTTY === true && !quiet) printNote(text, io);
}
