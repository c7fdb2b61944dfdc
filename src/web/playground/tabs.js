/** The tabs, as the ARIA authoring practices describe them: arrows, Home and End move, and the address remembers. */
import { clearError } from './announce.js';

const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[role="tab"]')]);
const names = tabs.map(({ id }) => id.replace('tab-', ''));

/** @param {string} name */
export function openTab(name) {
  for (const tab of tabs) {
    const selected = tab.id === `tab-${name}`;
    tab.setAttribute('aria-selected', String(selected));
    tab.tabIndex = selected ? 0 : -1;
    const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
    if (panel) panel.hidden = !selected;
  }
  clearError();
  history.replaceState(null, '', `#${name}`);
}

/** @param {KeyboardEvent} event */
function move(event) {
  const at = tabs.indexOf(/** @type {HTMLElement} */ (event.currentTarget));
  const last = tabs.length - 1;
  const target = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[
    event.key
  ];
  if (target === undefined) return;
  event.preventDefault();
  openTab(names[target] ?? 'speak');
  tabs[target]?.focus();
}

const openFromAddress = () => {
  const name = location.hash.slice(1);
  if (names.includes(name)) openTab(name);
};

for (const [at, tab] of tabs.entries()) {
  tab.addEventListener('click', () => openTab(names[at] ?? 'speak'));
  tab.addEventListener('keydown', move);
}
addEventListener('hashchange', openFromAddress);
openFromAddress();
