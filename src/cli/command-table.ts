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

const options = '[options]';

/** In the order of the help. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: 'tts',
    description: 'Speak a text.',
    form: [options, '[text]'],
    load: async () => (await import('./commands/tts.ts')).ttsCommand,
  },
  {
    name: 'clone',
    description: 'Speak a text in the voice of a recording: prompt audio with its transcript, or reference audio.',
    form: [options, '[text]'],
    load: async () => (await import('./commands/clone.ts')).cloneCommand,
  },
  {
    name: 'batch',
    description: 'Speak many texts, one per line.',
    form: [options],
    load: async () => (await import('./commands/batch.ts')).batchCommand,
  },
  {
    name: 'dub',
    description: 'Speak the captions of a video at their times.',
    form: [options],
    load: async () => (await import('./commands/dub.ts')).dubCommand,
  },
  {
    name: 'book',
    description: 'Prepare a book for speech.',
    form: [],
    load: async () => (await import('./commands/book.ts')).bookCommand,
  },
  {
    name: 'serve',
    description: 'Run the HTTP server and the playground.',
    form: [options],
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  {
    name: 'mcp',
    description: 'Run an MCP server on standard input and output, for agents.',
    form: [options],
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  {
    name: 'worker',
    description: 'Run a worker for requests queued by svc serve --broker and svc batch --broker.',
    form: [options],
    load: async () => (await import('./commands/worker.ts')).workerCommand,
  },
  {
    name: 'export',
    description: 'Convert an official checkpoint to GGUF or ONNX.',
    form: [options],
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  {
    name: 'inspect',
    description:
      'Print metadata and tensors of a GGUF, safetensors or ONNX file, an exported ONNX folder, or a LoRA adapter.',
    form: [options, '<file>'],
    load: async () => (await import('./commands/inspect.ts')).inspectCommand,
  },
  {
    name: 'models',
    description: 'List, download and remove models.',
    form: [],
    load: async () => (await import('./commands/models.ts')).modelsCommand,
  },
  {
    name: 'voices',
    description: 'Add, list and remove voices.',
    form: [],
    load: async () => (await import('./commands/voices.ts')).voicesCommand,
  },
  {
    name: 'bench',
    description: 'Measure speed and memory of a model on this machine, or a server under load.',
    form: [options],
    load: async () => (await import('./commands/bench.ts')).benchCommand,
  },
  {
    name: 'doctor',
    description: 'Check this machine and suggest a fix for each problem.',
    form: [options],
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'completion',
    description: 'Print a shell completion script.',
    form: [],
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
];

/** The program's own options and words. */
const own: readonly string[] = ['-V', '--version', '-h', '--help', 'help'];

/** Whether a command line may use a command. Its first words name it, or else it is `tts`; `help` and `completion` name others. */
export function needs(argv: readonly string[], name: string): boolean {
  const [first] = argv;
  if (first === undefined) return false;
  const isSpoken = !own.includes(first) && !commandTable.some((entry) => entry.name === first);
  return argv.includes(name) || (name === 'tts' && isSpoken);
}
