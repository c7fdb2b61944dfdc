import type { LibavPacket } from '../libraries/libav.ts';
import type { Encoded } from '../transform.ts';

export type Moment = 'more' | 'end';

/** Muxes packets to bytes of a file. `samples` is the total number at the end. */
export type Container = (packets: readonly LibavPacket[], moment: Moment, samples: number) => Encoded;
