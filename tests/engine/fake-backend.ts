import type {
  Adapter,
  AdapterUse,
  Backend,
  DecodeInput,
  ModelInfo,
  Pause,
  Prefix,
  Session,
  SessionSettings,
  StepInput,
} from '../../src/engine/backend.ts';
import type { LoraWeights } from '../../src/engine/lora/lora-weights.ts';
import { SvcError } from '../../src/errors.ts';
import { turns } from '../support/turns.ts';

export const fakeInfo: ModelInfo = {
  name: 'fake',
  architecture: 'voxcpm',
  patchSize: 2,
  featureDim: 3,
  patchSamples: 4,
  inputPatchSamples: 4,
  inputSampleRate: 16_000,
  outputSampleRate: 16_000,
  contextLength: 1024,
  weightType: 'f32',
  device: 'fake',
  limits: {},
};

export interface FakeOptions {
  readonly info?: Partial<ModelInfo>;
  /** 0-based step from which the stop flag is set; never by default. */
  readonly stopAt?: number | undefined;
  readonly delayMilliseconds?: number;
  /** Number of slices of `encode` and `open`, each a call; default: 1. */
  readonly slices?: number;
  /** Factor for the audio of a session, by its number; default: 1. */
  readonly loudness?: (session: number) => number;
  /** Whether samples alternate, as a tone of 1 kHz at 16 kHz, which is as loud as it is high (default: constant). */
  readonly tone?: boolean;
  /** Sample value of the first patch, increasing by one per patch; default: 0, silence. */
  readonly firstLevel?: number;
  /** Whether the runtime supports LoRA adapters (default: none). */
  readonly adapters?: 'supported' | 'none';
  /** May throw to simulate a failure. */
  readonly onCall?: (call: FakeCall) => void;
}

/** Audible, as long as two patches of a tenth of a second. */
export const audible: FakeOptions = {
  ...{ stopAt: 4, firstLevel: 0.1 },
  info: { patchSamples: 1_600, contextLength: 100_000 },
};

/** Fails at a step, as a full disk or a power cut would. */
export function failingAt(step: number, options: FakeOptions = audible): FakeOptions {
  let steps = 0;
  const onCall = ({ kind }: FakeCall): void => {
    if (kind === 'step' && ++steps === step) throw new Error('out of luck');
  };
  return { ...options, onCall };
}

export interface FakeCall {
  readonly kind: 'encode' | 'open' | 'step' | 'decode' | 'close';
  /** Numbers of the sessions, in order of opening. */
  readonly sessions: readonly number[];
}

export interface FakeAdapter extends Adapter {
  readonly weights: LoraWeights;
  closed: boolean;
}

interface FakeSession extends Session {
  readonly use: AdapterUse | undefined;
  readonly number: number;
  readonly text: number;
  steps: number;
  decoded: number;
  closed: boolean;
}

export interface FakeBackend extends Backend {
  readonly calls: FakeCall[];
  /** Calls with their batches, such as `step 0+1`. */
  readonly log: string[];
  readonly opened: readonly FakeSession[];
  readonly prefixes: readonly Prefix[];
  /** The text of each prefix, with that of its prompt; characters that the tokenizer doesn't know are left out. */
  readonly texts: readonly string[];
  /** How many positions of each prefix are audio. */
  readonly audio: readonly number[];
  readonly disposed: () => boolean;
  /** In the order in which they were opened. */
  readonly adapters: readonly FakeAdapter[];
  /** Calls don't finish while held. */
  hold(): () => void;
  /** Waits until this many calls have begun. */
  called(count: number): Promise<void>;
  /** Waits until no call runs, unless it is held, and none follows. */
  settled(): Promise<void>;
}

const sessionsOf = (batch: readonly { readonly session: Session }[]) => batch.map(({ session }) => session);

/** Not a clock that a test sets. */
const { setTimeout } = globalThis;

/**
 * Deterministic: a step's patch is its noise plus session-independent counters; a patch's audio is its decoding position.
 * Throws if calls overlap, or use a session that is closed or twice in the batch.
 */
export function createFakeBackend(options: FakeOptions = {}): FakeBackend {
  const info = { ...fakeInfo, ...options.info };
  const calls: FakeCall[] = [];
  const opened: FakeSession[] = [];
  const adapters: FakeAdapter[] = [];
  const prefixes: Prefix[] = [];
  let busy = false;
  let disposed = false;
  let gate: Promise<void> | undefined;
  let running: Promise<unknown> | undefined;
  const onCall = new Set<() => void>();

  function call<Result>(kind: FakeCall['kind'], sessions: readonly Session[], work: () => Result): Promise<Result> {
    const result = compute(kind, sessions, work);
    running = result.catch(() => undefined);
    for (const tell of onCall) tell();
    return result;
  }

  async function compute<Result>(
    kind: FakeCall['kind'],
    sessions: readonly Session[],
    work: () => Result,
  ): Promise<Result> {
    const members = sessions as readonly FakeSession[];
    if (busy) throw new Error(`${kind} overlaps another call`);
    if (disposed) throw new Error(`${kind} after disposal`);
    if (members.some(({ closed }) => closed)) throw new Error(`${kind} on a closed session`);
    if (new Set(members).size !== members.length) throw new Error(`${kind} with a session twice`);
    busy = true;
    try {
      const entry = { kind, sessions: members.map(({ number }) => number) };
      calls.push(entry);
      await new Promise((resolve) => setTimeout(resolve, options.delayMilliseconds ?? 0));
      await gate;
      options.onCall?.(entry);
      return work();
    } finally {
      busy = false;
    }
  }

  async function inSlices<Result>(kind: FakeCall['kind'], pause: Pause | undefined, work: () => Result) {
    for (let left = options.slices ?? 1; left > 1; left -= 1) {
      await call(kind, [], () => undefined);
      await pause?.();
    }
    return call(kind, [], work);
  }

  const step = ({ session, noise }: StepInput) => {
    const fake = session as FakeSession;
    const index = fake.steps;
    fake.steps += 1;
    return {
      patch: noise.map((value) => value + index),
      stopLogits: Float32Array.of(0, options.stopAt !== undefined && index >= options.stopAt ? 1 : 0),
    };
  };

  const decode = ({ session, patches }: DecodeInput) => {
    const fake = session as FakeSession;
    const count = patches.length / (info.patchSize * info.featureDim);
    const { firstLevel = 0 } = options;
    const loudness = options.loudness?.(fake.number) ?? 1;
    const samples = new Float32Array(count * info.patchSamples);
    for (let i = 0; i < count; i += 1) {
      samples.fill((firstLevel + fake.decoded + i) * loudness, i * info.patchSamples, (i + 1) * info.patchSamples);
    }
    fake.decoded += count;
    return options.tone ? samples.map((value, i) => (i % 16 < 8 ? value : -value)) : samples;
  };

  async function openAdapter(weights: LoraWeights): Promise<Adapter> {
    const shape = weights.updates.map(({ target }) => target).join();
    if (shape.includes('residual_lm')) throw new SvcError('MODEL_INVALID', 'no matrix residual_lm');
    const adapter: FakeAdapter = {
      weights,
      closed: false,
      async close() {
        adapter.closed = true;
      },
    };
    adapters.push(adapter);
    return adapter;
  }

  return {
    info,
    calls,
    opened,
    adapters,
    ...(options.adapters === 'supported' && { openAdapter }),
    prefixes,
    get texts() {
      return prefixes.map(textOf);
    },
    get audio() {
      return prefixes.map(({ audioMask }) => audioMask.reduce((sum, is) => sum + is, 0));
    },
    get log() {
      return calls.map(({ kind, sessions }) => `${kind} ${sessions.join('+')}`.trim());
    },
    disposed: () => disposed,
    hold() {
      let release = (): void => undefined;
      const own = new Promise<void>((resolve) => {
        release = () => {
          if (gate === own) gate = undefined;
          resolve();
        };
      });
      gate = own;
      return release;
    },
    called: (count) =>
      new Promise((resolve) => {
        const tell = (): void => {
          if (calls.length < count) return;
          onCall.delete(tell);
          resolve();
        };
        onCall.add(tell);
        tell();
      }),
    async settled() {
      let before = -1;
      while (calls.length !== before) {
        before = calls.length;
        if (gate === undefined) await running;
        await turns();
      }
    },
    metadata: (key) => (key === 'tokenizer.huggingface.json' ? tokenizerJson : undefined),
    encode: (samples, _signal, pause) =>
      inSlices('encode', pause, () =>
        new Float32Array((samples.length / info.inputPatchSamples) * info.patchSize * info.featureDim).fill(0.5),
      ),
    open: ({ tokens, audioMask, features, timesteps, adapter: use }: SessionSettings, _signal, pause) =>
      inSlices('open', pause, () => {
        if ((use?.adapter as FakeAdapter | undefined)?.closed) throw new Error('a session with a closed adapter');
        prefixes.push({ tokens, audioMask, features });
        const session: FakeSession = {
          ...{ number: opened.length, use, text: tokens.length, timesteps, steps: 0, decoded: 0, closed: false },
          close: () =>
            call('close', [session], () => {
              session.closed = true;
            }),
        };
        opened.push(session);
        return session;
      }),
    step: (batch) => call('step', sessionsOf(batch), () => batch.map(step)),
    decode: (batch) => call('decode', sessionsOf(batch), () => batch.map(decode)),
    [Symbol.asyncDispose]: async () => {
      disposed = true;
    },
  };
}

/** One token per character, like the demo model. */
const characters = ['<unk>', '▁', ...'abcdefghijklmnopqrstuvwxyz().!?,ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'];
/** The text of a prefix as the tokenizer got it. */
export const textOf = ({ tokens, audioMask }: Prefix): string =>
  [...tokens]
    .map((token, at) => (audioMask[at] || token === 0 ? '' : (characters[token] ?? '')))
    .join('')
    .replaceAll('▁', ' ')
    .trim();

const vocab = Object.fromEntries(characters.map((token, id) => [token, id]));
const tokenizerJson = JSON.stringify({
  model: { type: 'BPE', vocab, merges: [], unk_token: '<unk>' },
  added_tokens: [{ id: 0, content: '<unk>' }],
});
