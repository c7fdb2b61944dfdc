/**
 * A Content-Security-Policy of a page of this server: everything from this origin, nothing inline. Blobs are recordings that
 * the user listens to.
 *
 * @param code directives of what the page runs
 */
export const contentSecurityPolicy = (...code: readonly string[]): string =>
  [
    "default-src 'none'",
    ...code,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "media-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
