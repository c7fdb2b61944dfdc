/** Migrations of the voice store in PostgreSQL. `svc_voice_schema` counts the completed ones. */

/**
 * The oldest schema whose programs can use the newest one: during an upgrade, both run. A migration that they don't
 * survive, such as one that drops a column they read, raises it to its own version.
 */
export const oldestCompatible = 1;

/**
 * One string per version; never change a released one. Only add what programs of older versions may leave out: tables,
 * and columns at the end with a default or NULL. Blobs are little-endian float32. Times are milliseconds since
 * 1970.
 */
export const postgresMigrations: readonly string[] = [
  `
  CREATE TABLE svc_voices (
    id TEXT COLLATE "C" PRIMARY KEY,
    revision TEXT NOT NULL,
    text TEXT,
    is_prompt BOOLEAN NOT NULL,
    is_reference BOOLEAN NOT NULL,
    sample_rate INTEGER NOT NULL CHECK (sample_rate > 0),
    sample_count INTEGER NOT NULL CHECK (sample_count > 0),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK (is_prompt OR is_reference),
    CHECK (text IS NOT NULL OR NOT is_prompt)
  );
  CREATE TABLE svc_recordings (
    voice_id TEXT COLLATE "C" PRIMARY KEY REFERENCES svc_voices (id) ON DELETE CASCADE,
    samples BYTEA NOT NULL
  );
  CREATE TABLE svc_encodings (
    voice_id TEXT COLLATE "C" NOT NULL REFERENCES svc_voices (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('prompt', 'reference')),
    fingerprint TEXT COLLATE "C" NOT NULL,
    model TEXT NOT NULL,
    sample_rate INTEGER NOT NULL,
    patch_count INTEGER NOT NULL,
    patch_size INTEGER NOT NULL,
    feature_dim INTEGER NOT NULL,
    patches BYTEA NOT NULL,
    PRIMARY KEY (voice_id, role, fingerprint),
    CHECK (length(patches) = 4 * patch_count * patch_size * feature_dim)
  );
  `,
  `
  CREATE TABLE svc_lexicons (
    voice_id TEXT COLLATE "C" PRIMARY KEY REFERENCES svc_voices (id) ON DELETE CASCADE,
    entries TEXT NOT NULL
  );
  `,
  `
  CREATE TABLE svc_voice_languages (
    voice_id TEXT COLLATE "C" PRIMARY KEY REFERENCES svc_voices (id) ON DELETE CASCADE,
    tag TEXT NOT NULL
  );
  `,
];
