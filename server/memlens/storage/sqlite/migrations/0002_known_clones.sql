-- Which clones have a Memory (spec 2.4): a folder that merely claims a remote gets nothing before a person confirmed
-- it. Several keys of one Memory are aliases: rows of bindings with one artifact_id.

CREATE TABLE known_clones (
    artifact_id TEXT NOT NULL,
    machine     TEXT NOT NULL, -- a random name, made once in MemLens' data directory
    place       TEXT NOT NULL, -- the real path of the git directory that all worktrees share, else of the folder
    known_since TEXT NOT NULL,
    actor       TEXT NOT NULL,
    PRIMARY KEY (artifact_id, machine, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_known_clones_place ON known_clones (machine, place);
CREATE INDEX idx_bindings_artifact ON bindings (artifact_id);
