/** Trusted proxies: those whose `X-Forwarded-For` counts. */
import express from 'express';
import { show } from '../../messages.ts';
import { invalid } from '../../validation.ts';

/** Express' setting `trust proxy`: all, the nearest ones by number, or addresses, networks and their names. */
export type TrustProxy = boolean | number | string;

/** @throws SvcError INVALID_REQUEST */
export function parseTrustProxy(text: string): TrustProxy {
  const value = toValue(text.trim());
  try {
    express().set('trust proxy', value);
    return value;
  } catch {
    throw invalid(
      'true, false, a number of proxies, or addresses, networks, loopback, linklocal or uniquelocal, separated by commas',
      '--trust-proxy',
      show(text),
    );
  }
}

const toValue = (text: string): TrustProxy => {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d+$/.test(text) ? Number(text) : text;
};
