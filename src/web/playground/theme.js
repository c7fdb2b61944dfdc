/** Light, dark, or as the system is. Loaded before the first paint, so that no page flashes in the other theme. */
const themes = ['system', 'light', 'dark'];
const storageKey = 'svc-theme';

/** Storage throws where the user forbids it. */
function stored() {
  try {
    return localStorage.getItem(storageKey) ?? 'system';
  } catch {
    return 'system';
  }
}

let theme = themes.includes(stored()) ? stored() : 'system';

function apply() {
  document.documentElement.dataset.theme = theme;
  const name = document.getElementById('theme-name');
  if (name) name.textContent = theme;
}

function next() {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  apply();
  // The canvas takes its colours when it draws.
  document.dispatchEvent(new Event('themechange'));
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // The choice lasts as long as the page.
  }
}

apply();
document.addEventListener('DOMContentLoaded', () => {
  apply();
  document.getElementById('theme')?.addEventListener('click', next);
});

export {};
