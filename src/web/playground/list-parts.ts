/** Parts of the items in the lists of the playground. */

/** Text that a user has written, in its own direction. */
export function line<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  content: string,
  className = '',
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.textContent = content;
  made.dir = 'auto';
  made.className = className;
  return made;
}

/** @param name for screen readers, which read it without the item around it */
export function action(label: string, name: string, act: () => void, className = ''): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = label;
  made.className = className;
  made.setAttribute('aria-label', name);
  made.addEventListener('click', act);
  return made;
}

/** An item: what it is about, and what can be done with it. */
export function item(about: readonly HTMLElement[], actions: readonly HTMLElement[]): HTMLElement {
  const row = document.createElement('li');
  const [text, buttons] = [document.createElement('div'), document.createElement('div')];
  text.append(...about);
  buttons.className = 'actions';
  buttons.append(...actions);
  row.append(text, buttons);
  return row;
}
