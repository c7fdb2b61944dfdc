/** The page of the HTTP interface: Swagger UI over this server's own OpenAPI document. */

const dark = matchMedia('(prefers-color-scheme: dark)');

/** As the playground: what the user chose there, else what the system has. Storage throws where the user forbids it. */
function stored(storage, key) {
  try {
    return globalThis[storage].getItem(key) ?? '';
  } catch {
    return '';
  }
}

function applyTheme() {
  const chosen = stored('localStorage', 'svc-theme');
  const isDark = chosen === 'dark' || (chosen !== 'light' && dark.matches);
  document.documentElement.classList.toggle('dark-mode', isDark);
}

/** Plays audio that a request brought; Swagger UI would ask for its address again, without the body. */
function playAudio(Original, { React }) {
  return function ResponseBody(props) {
    const { content, contentType = '' } = props;
    if (!(content instanceof Blob) || !contentType.startsWith('audio/')) return React.createElement(Original, props);
    const src = URL.createObjectURL(content);
    const name = `speech.${contentType.split(/[/;+]/)[1]?.replace('mpeg', 'mp3') ?? 'bin'}`;
    return React.createElement(
      'div',
      { className: 'heard' },
      React.createElement('audio', { controls: true, src, 'aria-label': 'The speech' }),
      React.createElement('a', { href: src, download: name }, `Download ${name}`),
    );
  };
}

/** Names for what Swagger UI leaves without one, and a way for the keyboard into what scrolls. */
function completeNames() {
  // Its `main` leaves these out.
  for (const [part, label] of Object.entries({ information: 'Introduction', scheme: 'Authorization' })) {
    const container = document.querySelector(`#docs .${part}-container`);
    container?.setAttribute('role', 'region');
    container?.setAttribute('aria-label', label);
  }
  for (const block of document.querySelectorAll('#docs pre:not([tabindex], .version)'))
    block.setAttribute('tabindex', '0');
  for (const field of document.querySelectorAll('#docs :is(select, textarea):not([aria-label])')) {
    const row = field.closest('tr[data-param-name]')?.getAttribute('data-param-name');
    field.setAttribute('aria-label', row ?? (field instanceof HTMLTextAreaElement ? 'Request body' : 'Content type'));
  }
}

applyTheme();
dark.addEventListener('change', applyTheme);

new MutationObserver(completeNames).observe(document.body, { childList: true, subtree: true });

const ui = globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
  plugins: [{ wrapComponents: { responseBody: playAudio } }],
  onComplete() {
    document.getElementById('docs')?.removeAttribute('aria-busy');
    const key = stored('sessionStorage', 'svc-api-key');
    if (key !== '') ui.preauthorizeApiKey('bearer', key);
  },
});
