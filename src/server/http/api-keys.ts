/** API keys, of which only digests are kept. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Response } from 'express';
import type { Range } from '../../validation.ts';

export interface KeyLimits {
  /** Requests per minute; unlimited if undefined. */
  readonly rateLimit?: number | undefined;
  /** Requests that may run or wait at once; unlimited if undefined. */
  readonly concurrencyLimit?: number | undefined;
  /** FairShare of the workers while several keys want them; default: 1. */
  readonly weight?: number | undefined;
}

export const limitRanges = {
  rateLimit: { kind: 'integer', minimum: 1, maximum: 1_000_000 },
  concurrencyLimit: { kind: 'integer', minimum: 1, maximum: 10_000 },
  weight: { kind: 'integer', minimum: 1, maximum: 16 },
} as const satisfies Record<keyof KeyLimits, Range>;

export interface ApiKey extends KeyLimits {
  /** For the log and for counting. */
  readonly name: string;
}

export interface StoredKey extends ApiKey {
  /** SHA-256 of the key. */
  readonly digest: Buffer;
}

export type FindKey = (sent: string | Buffer) => StoredKey | undefined;

/** The key of the request that a response answers, once it was identified. */
export const keyOf = ({ locals }: Response): StoredKey | undefined => locals.key as StoredKey | undefined;

/** Visible ASCII, which fits into a header. */
export const isKey = (text: unknown): text is string => typeof text === 'string' && /^[\x21-\x7e]+$/.test(text);

export const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Compares digests in constant time, with all keys, so that the time reveals nothing about them. */
export const findAmong =
  (keys: readonly StoredKey[]): FindKey =>
  (sent) => {
    const digest = typeof sent === 'string' ? digestOf(sent) : sent;
    return keys.reduce<StoredKey | undefined>(
      (found, key) => (timingSafeEqual(key.digest, digest) ? key : found),
      undefined,
    );
  };
