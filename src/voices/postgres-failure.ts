/** Classifies errors of PostgreSQL: whether the server is unavailable, and why. */

import { messageOf } from '../errors.ts';
import { connectionReason } from '../network-errors.ts';

interface Failure {
  readonly message: string;
  readonly code?: unknown;
  /** Set on errors of the operating system. */
  readonly syscall?: unknown;
}

/**
 * SQLSTATE codes that pass: connection failures; exhausted resources, such as connections; shutdown, startup and idle
 * timeouts; a statement over its time limit; a lock not granted in time; a server that is read-only during a failover;
 * deadlocks and conflicts with other transactions.
 */
const awayStates = /^(08...|53...|57P0[1235]|57014|55P03|25006|40001|40P01)$/;
/** Errors of the library `pg`, which have no code. */
const awayMessages = /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout e)/;

/** Whether the server can't do it now, but may later, perhaps on another connection. */
export function isAway(thrown: unknown): boolean {
  const { message, code, syscall } = failureOf(thrown);
  if (syscall !== undefined) return true;
  return typeof code === 'string' ? awayStates.test(code) : awayMessages.test(message);
}

/** The reason in one line. For an unavailable server it contains no address. */
export function databaseReason(thrown: unknown): string {
  const { message, code, syscall } = failureOf(thrown);
  if (syscall !== undefined) return connectionReason(code) ?? `the connection failed (${String(code)})`;
  return message.split('\n')[0] ?? '';
}

/** If several addresses refused a connection, the aggregate error has no message. */
function failureOf(thrown: unknown): Failure {
  const reason: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const { code, syscall } = Object(reason) as Partial<Failure>;
  return { message: messageOf(reason), code, syscall };
}
