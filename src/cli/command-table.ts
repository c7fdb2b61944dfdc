/** All commands. Their modules are loaded when they are needed: those of all of them take longer than a short run. */
import type { Command } from 'commander';
import type { Io } from './io.ts';

export interface CommandEntry {
  readonly name: string;
  readonly description: string;
  /** Arguments after the name in the list of commands. */
  readonly form: readonly string[];
  load(): Promise<(io: Io) => Command>;
}

const loads = {
  tts: async () => (await import('./commands/tts.ts')).ttsCommand,
  clone: async () => (await import('./commands/tts.ts')).cloneCommand,
  batch: async () => (await import('./commands/batch.ts')).batchCommand,
  dub: async () => (await import('./commands/dub.ts')).dubCommand,
  book: async () => (await import('./commands/book.ts')).bookCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand,
  worker: async () => (await import('./commands/worker.ts')).workerCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  inspect: async () => (await import('./commands/inspect.ts')).inspectCommand,
  models: async () => (await import('./commands/models.ts')).modelsCommand,
  voices: async () => (await import('./commands/voices.ts')).voicesCommand,
  bench: async () => (await import('./commands/bench.ts')).benchCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
} as const satisfies Record<string, CommandEntry['load']>;

const options = '[options]';

type Row = readonly [name: keyof typeof loads, form: CommandEntry['form'], description: string];

/** In the order of the help. */
const rows: readonly Row[] = [
  ['tts', [options, '[text]'], 'Speak a text.'],
  [
    'clone',
    [options, '[text]'],
    'Speak a text in the voice of a recording: prompt audio with its transcript, or reference audio.',
  ],
  ['batch', [options], 'Speak many texts, one per line.'],
  ['dub', [options], 'Speak the captions of a video at their times.'],
  ['book', [], 'Prepare a book for speech.'],
  ['serve', [options], 'Run the HTTP server and the playground.'],
  ['mcp', [options], 'Run an MCP server on standard input and output, for agents.'],
  ['worker', [options], 'Run a worker for requests queued by svc serve --broker and svc batch --broker.'],
  ['export', [options], 'Convert an official checkpoint to GGUF or ONNX.'],
  [
    'inspect',
    [options, '<file>'],
    'Print metadata and tensors of a GGUF, safetensors or ONNX file, an exported ONNX folder, or a LoRA adapter.',
  ],
  ['models', [], 'List, download and remove models.'],
  ['voices', [], 'Add, list and remove voices.'],
  ['bench', [options], 'Measure speed and memory of a model on this machine, or a server under load.'],
  ['doctor', [options], 'Check this machine and suggest a fix for each problem.'],
  ['completion', [], 'Print a shell completion script.'],
];

export const commandTable: readonly CommandEntry[] = rows.map(([name, form, description]) => {
  return { name, form, description, load: loads[name] };
});

/** The program's own options and words. */
const own: readonly string[] = ['-V', '--version', '-h', '--help', 'help'];

/** Whether a command line may use a command. Its first words name it, or else it is `tts`; `help` and `completion` name others. */
export function needs(argv: readonly string[], name: string): boolean {
  const [first] = argv;
  if (first === undefined) return false;
  const isSpoken = !own.includes(first) && !commandTable.some((entry) => entry.name === first);
  return argv.includes(name) || (name === 'tts' && isSpoken);
}
