/** Classifies errors of PostgreSQL: whether the server is unavailable, and why. */
import { connectionReason } from '../connection-reason.ts';
import { messageOf } from '../errors.ts';

interface Failure {
  readonly message: string;
  readonly code?: unknown;
  /** Set on errors of the operating system. */
  readonly syscall?: unknown;
}

/** SQLSTATE codes: connection failures, too many connections, shutdown or startup. */
const awayStates = /^(08...|53300|57P0[123])$/;
/** Errors of the library `pg`, which have no code. */
const awayMessages = /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout e)/;

/** Whether a connection failed or broke, or the server accepts none. */
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
