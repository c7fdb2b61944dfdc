/**
 * The element of an id that the page is known to have.
 *
 * @template {Element} E
 * @param {string} id
 * @param {new () => E} type
 * @returns {E}
 */
export function element(id, type) {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new TypeError(`expected a ${type.name} for #${id}, received ${found}`);
}

/** @param {string} id */
export const button = (id) => element(id, HTMLButtonElement);

/** @param {string} id */
export const input = (id) => element(id, HTMLInputElement);

/** @param {string} id */
export const block = (id) => element(id, HTMLElement);

/** Seconds as `0:03.5`. @param {number} seconds */
export function clock(seconds) {
  const tenths = Math.floor(seconds * 10 + 1e-6);
  return `${Math.floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`;
}

/** @param {unknown} thrown */
export const isAbort = (thrown) => thrown instanceof DOMException && thrown.name === 'AbortError';
