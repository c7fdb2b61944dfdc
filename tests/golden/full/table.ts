/** The report: errors as Markdown, and what must hold. */
import type { Errors } from './measure.ts';

/** Errors of one file with one implementation of its matrix products. */
export interface Measured {
  /** Weight type of a GGUF file, or `onnx-` and a precision. */
  readonly type: string;
  readonly errors: Errors;
  /** The same file with ggml's matrix products; absent for ONNX. */
  readonly ggml?: Errors;
  readonly megabytes: number;
}

type Column = keyof Errors;

const columns: Readonly<Record<Column, string>> = {
  baseLm: 'base LM',
  quantizer: 'codes changed',
  residualLm: 'residual LM',
  localEncoder: 'LocEnc',
  stopLogits: 'stop logits',
  flow: 'flow',
  patches: 'patches',
  vae: 'VAE, dB',
  audio: 'audio, dB',
};
const names = Object.keys(columns) as Column[];

/**
 * Our products may not lose noticeably more than ggml's. Both round activations, differently, and each of their errors is
 * one draw: the factor covers their spread, the summand what float32 itself loses. In quantized models, the audio VAE
 * rounds activations to bfloat16 where the processor has products for it; 0.02 is 34 dB.
 */
const allowed = { factor: 1.25, summand: 2e-5, codes: 0.01, roundedVae: 0.02 } as const;

function summandOf(type: string, name: Column): number {
  if (name === 'quantizer') return allowed.codes;
  const isRounded = /^q/.test(type) && (name === 'vae' || name === 'audio');
  return isRounded ? allowed.roundedVae : allowed.summand;
}

/** Signal-to-noise ratio of a relative error. */
const decibels = (error: number): string => (-20 * Math.log10(error)).toFixed(1);

function cell(column: Column, error: number): string {
  if (column === 'vae' || column === 'audio') return decibels(error);
  if (error === 0) return '0';
  return error < 1e-3 ? error.toExponential(0) : `${(100 * error).toPrecision(2)} %`;
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Cells hold our error; in parentheses ggml's, where it differs. */
export function errorTable(official: Errors, measured: readonly Measured[]): string {
  const lines = [
    row(['type', 'MB', ...names.map((name) => columns[name])]),
    row(['---', '--:', ...names.map(() => '--:')]),
    row(['official float32', '', ...names.map((name) => cell(name, official[name]))]),
  ];
  for (const { type, megabytes, errors, ggml } of measured) {
    const cells = names.map((name) => {
      const ours = cell(name, errors[name]);
      const theirs = ggml && cell(name, ggml[name]);
      return theirs === undefined || theirs === ours ? ours : `${ours} (${theirs})`;
    });
    lines.push(row([type.toUpperCase().replace('ONNX-', 'ONNX '), megabytes.toFixed(0), ...cells]));
  }
  return lines.join('\n');
}

export interface Judgment {
  readonly name: string;
  readonly passed: boolean;
  readonly note: string;
}

/** Compares our errors with ggml's, column by column; ONNX errors need only be finite. */
export function judge({ type, errors, ggml }: Measured): Judgment[] {
  return names.map((name) => {
    const error = errors[name];
    const limit = ggml === undefined ? 1 : allowed.factor * ggml[name] + summandOf(type, name);
    return {
      name: `${type} ${columns[name]}`,
      passed: error <= limit,
      note: `relative error ${error.toExponential(2)}, at most ${limit.toExponential(2)}`,
    };
  });
}
