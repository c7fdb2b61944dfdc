/** Objects of a model by number: sessions, encodings. */
import type { Handle } from '../model-port.ts';
import { refuse } from './prefix-check.ts';

export class Handles<Value> {
  readonly #what: string;
  readonly #values = new Map<Handle, Value>();
  #count = 0;

  /** @param what name of a value in messages: `session` */
  constructor(what: string) {
    this.#what = what;
  }

  get size(): number {
    return this.#values.size;
  }

  add(value: Value): Handle {
    this.#count += 1;
    this.#values.set(this.#count, value);
    return this.#count;
  }

  /** @throws SvcError INVALID_REQUEST */
  get(handle: Handle): Value {
    return this.#values.get(handle) ?? refuse(`the ${this.#what} is closed`);
  }

  /** @throws SvcError INVALID_REQUEST */
  remove(handle: Handle): void {
    this.get(handle);
    this.#values.delete(handle);
  }

  clear(): void {
    this.#values.clear();
  }
}
