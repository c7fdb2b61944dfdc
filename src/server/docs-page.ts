/** The OpenAPI document for people: one page without scripts, which asks for nothing else. */
import { createHash } from 'node:crypto';

interface Described {
  readonly summary?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Field }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Field }>> };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
}

interface Field {
  readonly type?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Field[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
}

const style = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{font:600 1.05rem ui-monospace,monospace;margin:2.5rem 0 .25rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid color-mix(in srgb,currentcolor 20%,transparent)}
code{font-family:ui-monospace,monospace;font-size:.9em}
`;

export const docsPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function renderDocs(document: object): string {
  const { info, paths } = document as {
    readonly info: { readonly version: string };
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  };
  const sections = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => section(`${method.toUpperCase()} ${path}`, described)),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>svc: HTTP interface</title><style>${style}</style></head>
<body><h1>svc ${escapeHtml(info.version)}: HTTP interface</h1>
<p>For programs: <a href="openapi.json">openapi.json</a>.</p>
${sections.join('\n')}
</body></html>`;
}

function section(title: string, { summary = '', parameters = [], requestBody, responses }: Described): string {
  const inPath = parameters.map(({ name, in: place, schema }) => row(`${name} (${place})`, schema));
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => {
    const rows = Object.entries(schema.properties ?? {}).map(([name, field]) =>
      row(`${name}${schema.required?.includes(name) ? ' *' : ''}`, field),
    );
    return `<p>Body: <code>${escapeHtml(type)}</code></p><table>${rows.join('')}</table>`;
  });
  const answers = Object.entries(responses).map(
    ([status, { description, content = {} }]) =>
      `<tr><th scope="row">${escapeHtml(status)}</th><td>${escapeHtml(description)}</td><td><code>${escapeHtml(Object.keys(content).join(', '))}</code></td></tr>`,
  );
  return `<section><h2>${escapeHtml(title)}</h2><p>${escapeHtml(summary)}</p>
${inPath.length > 0 ? `<table>${inPath.join('')}</table>` : ''}${bodies.join('')}
<table>${answers.join('')}</table></section>`;
}

const row = (name: string, field: Field): string =>
  `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td><code>${escapeHtml(kindOf(field))}</code></td><td>${escapeHtml(field.description ?? '')}</td></tr>`;

function kindOf({ type, anyOf, enum: values, minimum, maximum }: Field): string {
  if (values !== undefined) return values.join(', ');
  if (anyOf !== undefined)
    return anyOf
      .map(kindOf)
      .filter((kind) => kind !== 'null')
      .join(' or ');
  const limits = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? ''}…${maximum ?? ''}`;
  return `${Array.isArray(type) ? type.join(' or ') : String(type ?? 'any')}${limits}`;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] as string);
