/**
 * Content-Security-Policy of this server's pages: everything from this origin, nothing inline; blobs for playing
 * recordings.
 *
 * @param code directives for scripts and workers
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
