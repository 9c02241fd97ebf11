-- The first schema (spec 1.10). Authoritative tables are insert-only; memory_entry_heads and the full-text index
-- are projections, rebuildable from them alone.

CREATE TABLE schema_version (
    version    INTEGER PRIMARY KEY,
    applied_at TEXT NOT NULL
) STRICT;

-- One row: what is fixed when the database is created, and the lease of an offline rebuild.
CREATE TABLE deployment (
    id                INTEGER PRIMARY KEY CHECK (id = 1),
    created_at        TEXT NOT NULL,
    analyzer_version  INTEGER NOT NULL,
    embedding_profile TEXT NOT NULL, -- JCS
    lease_owner       TEXT,
    lease_expires_at  TEXT,
    lease_cursor      TEXT
) STRICT;

CREATE TABLE sources (
    source_id    TEXT NOT NULL PRIMARY KEY, -- derived from type, uri and content hash
    source_type  TEXT NOT NULL,
    uri          TEXT NOT NULL,
    content      TEXT NOT NULL, -- JCS
    content_hash TEXT NOT NULL,
    created_at   TEXT NOT NULL
) STRICT;

CREATE TABLE artifact_revisions (
    artifact_id  TEXT NOT NULL,
    revision     INTEGER NOT NULL,
    family       TEXT NOT NULL,
    content      BLOB NOT NULL,    -- the family's stored form; of a Memory, the delta
    content_hash TEXT NOT NULL,    -- of the whole canonical content
    lineage      TEXT NOT NULL,    -- JCS
    created_at   TEXT NOT NULL,    -- outside the content and its hash
    actor        TEXT NOT NULL,    -- outside the content and its hash
    snapshot     BLOB,             -- the whole manifest, now and then
    chain_length INTEGER NOT NULL, -- deltas since the snapshot before, this one included; 0 with a snapshot
    chain_bytes  INTEGER NOT NULL,
    PRIMARY KEY (artifact_id, revision)
) STRICT;

CREATE TABLE artifact_heads (
    artifact_id TEXT NOT NULL PRIMARY KEY,
    revision    INTEGER NOT NULL,
    FOREIGN KEY (artifact_id, revision) REFERENCES artifact_revisions (artifact_id, revision)
) STRICT;

CREATE TABLE memory_entry_versions (
    memory_artifact_id  TEXT NOT NULL,
    entry_id            TEXT NOT NULL,
    entry_version_id    TEXT NOT NULL,
    version             INTEGER NOT NULL,
    previous_version_id TEXT,
    kind                TEXT NOT NULL,
    text                TEXT NOT NULL,
    source_refs         TEXT NOT NULL, -- JCS
    artifact_refs       TEXT NOT NULL, -- JCS
    entry_content_hash  TEXT NOT NULL,
    created_in_revision INTEGER NOT NULL,
    statement_hash      TEXT NOT NULL, -- of kind and text alone: finds entries that say the same
    PRIMARY KEY (entry_version_id),
    UNIQUE (memory_artifact_id, entry_id, version),
    UNIQUE (memory_artifact_id, entry_id, entry_version_id),
    FOREIGN KEY (previous_version_id) REFERENCES memory_entry_versions (entry_version_id),
    FOREIGN KEY (memory_artifact_id, created_in_revision) REFERENCES artifact_revisions (artifact_id, revision)
) STRICT;

CREATE INDEX idx_memory_entry_versions_hash ON memory_entry_versions (memory_artifact_id, entry_content_hash);
CREATE INDEX idx_memory_entry_versions_statement ON memory_entry_versions (memory_artifact_id, statement_hash);
-- A foreign key's child columns are indexed, or each deleted or changed parent would scan the table.
CREATE INDEX idx_memory_entry_versions_previous ON memory_entry_versions (previous_version_id)
    WHERE previous_version_id IS NOT NULL;

CREATE TABLE memory_entry_heads (
    projection_id      INTEGER PRIMARY KEY,
    memory_artifact_id TEXT NOT NULL,
    head_revision      INTEGER NOT NULL, -- the Revision whose commit last wrote this row; never compared
    entry_id           TEXT NOT NULL,
    entry_version_id   TEXT NOT NULL,
    entry_content_hash TEXT NOT NULL,
    searchable_text    TEXT NOT NULL,
    UNIQUE (memory_artifact_id, entry_id),
    FOREIGN KEY (memory_artifact_id, entry_id, entry_version_id)
        REFERENCES memory_entry_versions (memory_artifact_id, entry_id, entry_version_id)
) STRICT;

CREATE VIRTUAL TABLE memory_entry_search_fts USING fts5(
    searchable_text,
    tokenize = "unicode61 tokenchars '_'"
);

CREATE TABLE bindings (
    binding_key TEXT NOT NULL PRIMARY KEY, -- repo:<identity> or user:<id>
    artifact_id TEXT NOT NULL,             -- without a Revision: reserved, no Memory yet
    created_at  TEXT NOT NULL,
    actor       TEXT NOT NULL
) STRICT;

CREATE TABLE entry_applicability (
    memory_artifact_id TEXT NOT NULL,
    entry_id           TEXT NOT NULL,
    origin             TEXT NOT NULL CHECK (origin IN ('proposed', 'confirmed', 'pinned', 'muted')),
    targets            TEXT NOT NULL, -- JCS
    updated_at         TEXT NOT NULL,
    actor              TEXT NOT NULL,
    PRIMARY KEY (memory_artifact_id, entry_id, origin)
) STRICT, WITHOUT ROWID;
