/** What is wrong with a database: whether it is away, so that asking again later helps, and how that is called. */
import { messageOf } from '../errors.ts';

interface Failure {
  readonly message: string;
  readonly code?: unknown;
  /** What errors of the operating system have. */
  readonly syscall?: unknown;
}

/** Classes and codes of SQLSTATE: connection failures, too many connections, shutting down or starting up. */
const awayStates = /^(08...|53300|57P0[123])$/;
/** Errors of the library `pg` itself, which have no code. */
const awayMessages = /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout e)/;

/** Whether a connection could not be made or broke, or the server takes none. */
export function isAway(thrown: unknown): boolean {
  const { message, code, syscall } = failureOf(thrown);
  if (syscall !== undefined) return true;
  return typeof code === 'string' ? awayStates.test(code) : awayMessages.test(message);
}

/** One line. Of what is away it names no address: that is for whoever asked for this one. */
export function reasonOf(thrown: unknown): string {
  const { message, code, syscall } = failureOf(thrown);
  if (syscall !== undefined) return `no connection (${String(code)})`;
  return message.split('\n')[0] ?? '';
}

/** Errors of a connection that several addresses refused have no message of their own. */
function failureOf(thrown: unknown): Failure {
  const reason: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const { code, syscall } = Object(reason) as Partial<Failure>;
  return { message: messageOf(reason), code, syscall };
}
