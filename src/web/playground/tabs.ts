/** Tabs as in the ARIA authoring practices: arrow keys, Home and End move; the URL keeps the choice. */
import { clearError } from '../shared/announce.ts';

const tabs = [...document.querySelectorAll<HTMLElement>('[role="tab"]')];
const names = tabs.map(({ id }) => id.replace('tab-', ''));

export function openTab(name: string): void {
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

function move(event: KeyboardEvent, at: number): void {
  const last = tabs.length - 1;
  const targets: Readonly<Record<string, number>> = {
    ArrowRight: at === last ? 0 : at + 1,
    ArrowLeft: at === 0 ? last : at - 1,
    Home: 0,
    End: last,
  };
  const target = targets[event.key];
  if (target === undefined) return;
  event.preventDefault();
  openTab(names[target] ?? 'speak');
  tabs[target]?.focus();
}

function openFromAddress(): void {
  const name = location.hash.slice(1);
  if (names.includes(name)) openTab(name);
}

for (const [at, tab] of tabs.entries()) {
  tab.addEventListener('click', () => openTab(names[at] ?? 'speak'));
  tab.addEventListener('keydown', (event) => move(event, at));
}
addEventListener('hashchange', openFromAddress);
openFromAddress();
