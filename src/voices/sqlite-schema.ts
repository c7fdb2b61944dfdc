/** Migrations of the voice store in SQLite. `user_version` counts the completed ones. */

/** Marks the file as a voice store of this program: `svcv` in ASCII. */
export const applicationId = 0x73766376;

/** One string per version; never change a released one. Blobs are little-endian float32 and come last in their row. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE voices (
    id TEXT PRIMARY KEY NOT NULL,
    revision TEXT NOT NULL,
    text TEXT,
    is_prompt INTEGER NOT NULL CHECK (is_prompt IN (0, 1)),
    is_reference INTEGER NOT NULL CHECK (is_reference IN (0, 1)),
    sample_rate INTEGER NOT NULL CHECK (sample_rate > 0),
    sample_count INTEGER NOT NULL CHECK (sample_count > 0),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK (is_prompt OR is_reference),
    CHECK (text IS NOT NULL OR NOT is_prompt)
  ) STRICT;
  CREATE TABLE recordings (
    voice_id TEXT PRIMARY KEY NOT NULL REFERENCES voices (id) ON DELETE CASCADE,
    samples BLOB NOT NULL
  ) STRICT;
  CREATE TABLE encodings (
    voice_id TEXT NOT NULL REFERENCES voices (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('prompt', 'reference')),
    fingerprint TEXT NOT NULL,
    model TEXT NOT NULL,
    sample_rate INTEGER NOT NULL,
    patch_count INTEGER NOT NULL,
    patch_size INTEGER NOT NULL,
    feature_dim INTEGER NOT NULL,
    patches BLOB NOT NULL,
    PRIMARY KEY (voice_id, role, fingerprint),
    CHECK (length(patches) = 4 * patch_count * patch_size * feature_dim)
  ) STRICT;
  `,
  // A table of its own: a column would break programs of the first version that have the file open.
  `
  CREATE TABLE lexicons (
    voice_id TEXT PRIMARY KEY NOT NULL REFERENCES voices (id) ON DELETE CASCADE,
    entries TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE voice_languages (
    voice_id TEXT PRIMARY KEY NOT NULL REFERENCES voices (id) ON DELETE CASCADE,
    tag TEXT NOT NULL
  ) STRICT;
  `,
];
