/** The API reference: Swagger UI over this server's own OpenAPI document. */
import { attempt } from '../../errors.ts';

type ResponseBody = { readonly content?: unknown; readonly contentType?: string };

/** The part of React that Swagger UI hands to its plugins. */
type React = { createElement(type: unknown, properties: object | null, ...children: readonly unknown[]): unknown };

type Component = (properties: ResponseBody) => unknown;

declare const SwaggerUIBundle: (options: object) => { preauthorizeApiKey(name: string, key: string): void };

/** Plays audio from POST requests; Swagger UI would request the URL again, without the body. */
function playAudio(Original: Component, { React }: { readonly React: React }): Component {
  return function AudioBody(properties) {
    const { content, contentType = '' } = properties;
    if (!(content instanceof Blob) || !contentType.startsWith('audio/'))
      return React.createElement(Original, properties);
    const src = URL.createObjectURL(content);
    const name = `speech.${contentType.split(/[/;+]/)[1]?.replace('mpeg', 'mp3') ?? 'bin'}`;
    return React.createElement(
      'div',
      { className: 'playable' },
      React.createElement('audio', { controls: true, src, 'aria-label': 'Speech' }),
      React.createElement('a', { href: src, download: name }, `Download ${name}`),
    );
  };
}

/** Swagger UI has a class for its dark theme, and leaves the choice to the page. */
function applyTheme(): void {
  const { theme } = document.documentElement.dataset;
  const isDark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.classList.toggle('dark-mode', isDark);
}

/** Names what Swagger UI leaves unnamed, and makes scrolling blocks reachable by keyboard. */
function completeNames(): void {
  // Swagger UI's own `main` leaves these out.
  for (const [part, label] of Object.entries({ information: 'Introduction', scheme: 'Authorization' })) {
    const container = document.querySelector(`#docs .${part}-container`);
    container?.setAttribute('role', 'region');
    container?.setAttribute('aria-label', label);
  }
  document.querySelector('#docs main')?.setAttribute('id', 'main');
  document.querySelector('#main')?.setAttribute('tabindex', '-1');
  for (const block of document.querySelectorAll('#docs pre:not([tabindex], .version)'))
    block.setAttribute('tabindex', '0');
  for (const field of document.querySelectorAll('#docs :is(select, textarea):not([aria-label])')) {
    const row = field.closest('tr[data-param-name]')?.getAttribute('data-param-name');
    field.setAttribute('aria-label', row ?? (field instanceof HTMLTextAreaElement ? 'Request body' : 'Content type'));
  }
}

/** The key that the user has entered in the playground. Storage throws where the user forbids it. */
const storedKey = (): string => attempt(() => sessionStorage.getItem('svc-api-key')) ?? '';

applyTheme();
document.addEventListener('themechange', applyTheme);
new MutationObserver(completeNames).observe(document.body, { childList: true, subtree: true });

/** The OpenAPI document, with the address of this server in its code samples. */
async function loadDocument(): Promise<unknown> {
  const response = await fetch('openapi.json').catch(() => undefined);
  if (!response?.ok) {
    const docs = document.getElementById('docs');
    if (docs) docs.textContent = 'Cannot load openapi.json from the server. Check that it is running, then reload.';
    throw new Error('cannot load openapi.json');
  }
  const text = await response.text();
  return JSON.parse(text.replaceAll('http://127.0.0.1:8000', new URL('.', location.href).href.slice(0, -1)));
}

const ui = SwaggerUIBundle({
  spec: await loadDocument(),
  dom_id: '#docs',
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
  // The default theme shows numbers with too little contrast.
  syntaxHighlight: { theme: 'obsidian' },
  plugins: [{ wrapComponents: { responseBody: playAudio } }],
  onComplete() {
    document.getElementById('docs')?.removeAttribute('aria-busy');
    const key = storedKey();
    if (key !== '') ui.preauthorizeApiKey('bearer', key);
  },
});
