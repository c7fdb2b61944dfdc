/** The element of an id that the page is known to have. @throws TypeError when there is none of that type */
export function element<E extends Element>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new TypeError(`no ${type.name} with the id "${id}"`);
}

export const button = (id: string): HTMLButtonElement => element(id, HTMLButtonElement);

export const input = (id: string): HTMLInputElement => element(id, HTMLInputElement);

export const block = (id: string): HTMLElement => element(id, HTMLElement);

/** Seconds as `0:03.5`. */
export function clock(seconds: number): string {
  const tenths = Math.floor(seconds * 10 + 1e-6);
  return `${Math.floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`;
}

export const isAbort = (thrown: unknown): boolean => thrown instanceof DOMException && thrown.name === 'AbortError';

/** Puts the focus on the one field to be corrected; errors name the field as well. */
export function markInvalid(field: HTMLElement): void {
  clearInvalid();
  field.setAttribute('aria-invalid', 'true');
  field.focus();
}

/** The error of a field to be corrected, which gets the focus. */
export function invalidField(field: HTMLElement, message: string): Error {
  markInvalid(field);
  return new Error(message);
}

/** No field is marked any more, such as before the form is sent again. */
export function clearInvalid(): void {
  for (const marked of document.querySelectorAll('[aria-invalid]')) marked.removeAttribute('aria-invalid');
}
