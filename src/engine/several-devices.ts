/** A model on several devices as one backend: each session is on one of them, and sessions of a device share its steps. */
import { SvcError, toSvcError } from '../errors.ts';
import type { Adapter, Backend, DecodeInput, Session, SessionSettings, VoiceMemory } from './backend.ts';
import { createScheduler, type SchedulerOptions } from './scheduler.ts';

interface Place {
  readonly backend: Backend;
  readonly scheduler: Backend;
  /** Sessions and recordings on it. */
  users: number;
}

interface PlacedSession {
  readonly place: Place;
  readonly inner: Session;
}

/** An adapter on each device. */
interface PlacedAdapter extends Adapter {
  on(place: Place): Adapter;
}

/** Another device may have what this one lacks. */
const isOfDevice = (thrown: unknown): boolean =>
  ['DEVICE_LOST', 'BACKEND_UNAVAILABLE', 'OUT_OF_MEMORY'].includes(toSvcError(thrown).code);

/**
 * Schedules the calls of each device apart, with up to `maxBatch` sessions in a step of each. A new session goes to the device
 * with the fewest, or to the next one where that fails.
 *
 * @param backends of the same model; at least one
 */
export function createSpread(backends: readonly [Backend, ...Backend[]], options: SchedulerOptions): Backend {
  const [first] = backends;
  const places: readonly Place[] = backends.map((backend) => ({
    backend,
    scheduler: createScheduler(backend, options),
    users: 0,
  }));
  const sessions = new Map<Session, PlacedSession>();

  /** Runs work on the first device that can do it, those with the fewest users first. */
  async function onOne<Result>(work: (place: Place) => Promise<Result>): Promise<Result> {
    const order = places.toSorted((one, other) => one.users - other.users);
    for (const [index, place] of order.entries()) {
      place.users += 1;
      try {
        return await work(place);
      } catch (thrown) {
        place.users -= 1;
        if (index === order.length - 1 || !isOfDevice(thrown)) throw thrown;
      }
    }
    throw new SvcError('INTERNAL', 'there is no device');
  }

  function placed(session: Session): PlacedSession {
    const found = sessions.get(session);
    if (found === undefined) throw new SvcError('INTERNAL', 'the session is closed');
    return found;
  }

  const settingsFor = (place: Place, { adapter, ...settings }: SessionSettings): SessionSettings =>
    adapter === undefined
      ? settings
      : { ...settings, adapter: { ...adapter, adapter: (adapter.adapter as PlacedAdapter).on(place) } };

  const open: Backend['open'] = (settings, signal, pause) =>
    onOne(async (place) => {
      const inner = await place.scheduler.open(settingsFor(place, settings), signal, pause);
      let closing: Promise<void> | undefined;
      const close = async (): Promise<void> => {
        sessions.delete(session);
        place.users -= 1;
        await inner.close();
      };
      const session: Session = {
        timesteps: settings.timesteps,
        close: () => {
          closing ??= close();
          return closing;
        },
      };
      sessions.set(session, { place, inner });
      return session;
    });

  async function decode({ session, patches }: DecodeInput): Promise<Float32Array> {
    const { place, inner } = placed(session);
    const [samples] = await place.scheduler.decode([{ session: inner, patches }]);
    return samples as Float32Array;
  }

  const openAdapter: NonNullable<Backend['openAdapter']> = async (weights) => {
    const adapters = new Map<Place, Adapter>();
    const close = async (): Promise<void> => {
      await Promise.all([...adapters.values()].map((adapter) => adapter.close()));
    };
    try {
      for (const place of places) {
        if (place.backend.openAdapter) adapters.set(place, await place.backend.openAdapter(weights));
      }
    } catch (error) {
      await close();
      throw error;
    }
    const made: PlacedAdapter = {
      get isLost() {
        return [...adapters.values()].some(({ isLost }) => isLost);
      },
      on: (place) => adapters.get(place) as Adapter,
      close,
    };
    return made;
  };

  return {
    info: {
      ...first.info,
      get device() {
        return places.map(({ backend }) => backend.info.device).join(', ');
      },
    },
    metadata: (key) => first.metadata(key),
    encode: (samples, signal, pause) =>
      onOne(async (place) => {
        const encoded = await place.scheduler.encode(samples, signal, pause);
        place.users -= 1;
        return encoded;
      }),
    open,
    step: (batch) =>
      Promise.all(
        batch.map(async ({ session, noise }) => {
          const { place, inner } = placed(session);
          const [step] = await place.scheduler.step([{ session: inner, noise }]);
          return step as NonNullable<typeof step>;
        }),
      ),
    decode: (batch) => Promise.all(batch.map(decode)),
    ...(first.openAdapter && { openAdapter }),
    voiceMemory: () => sumOf(places.flatMap(({ backend }) => backend.voiceMemory?.() ?? [])),
    deviceUse: () => places.flatMap(({ backend }) => backend.deviceUse?.() ?? []),
    async [Symbol.asyncDispose]() {
      await Promise.all(places.map(({ scheduler }) => scheduler[Symbol.asyncDispose]()));
    },
  };
}

const sumOf = (all: readonly VoiceMemory[]): VoiceMemory | undefined =>
  all.length === 0
    ? undefined
    : all.reduce((sum, { bytes, remembered, computed }) => ({
        bytes: sum.bytes + bytes,
        remembered: sum.remembered + remembered,
        computed: sum.computed + computed,
      }));
