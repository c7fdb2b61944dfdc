/** Light, dark, or the system's theme. Loaded before the first paint, so that no page flashes in the other theme. */
const themes = ['system', 'light', 'dark'];
const storageKey = 'svc-theme';

/** Storage throws where the user forbids it. */
function stored(): string {
  try {
    return localStorage.getItem(storageKey) ?? 'system';
  } catch {
    return 'system';
  }
}

let theme = themes.includes(stored()) ? stored() : 'system';

function apply(): void {
  document.documentElement.dataset.theme = theme;
  const name = document.getElementById('theme-name');
  if (name) name.textContent = theme;
  // Canvases take their colors when they draw; Swagger UI has a class for its dark theme.
  document.dispatchEvent(new Event('themechange'));
}

function next(): void {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  apply();
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // The choice lasts as long as the page.
  }
}

apply();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
document.addEventListener('DOMContentLoaded', () => {
  apply();
  document.getElementById('theme')?.addEventListener('click', next);
});
