/**
 * The tables of the store, and how a file gets them.
 */
import type { Database } from '../driver/database.ts'

/** What `PRAGMA user_version` says of a file this code wrote. */
const VERSION = 5

/** Partial, so that frames pay nothing for them. */
const ENVELOPE_INDEXES = `
  CREATE INDEX frames_by_corr ON frames (corr, seq) WHERE corr IS NOT NULL;
  CREATE INDEX frames_by_refuted ON frames (refutes, seq) WHERE refutes IS NOT NULL;
  CREATE INDEX frames_by_answered ON frames (answers, seq) WHERE answers IS NOT NULL;
`

/** From the version before envelopes: what is there stays, row for row. */
const FROM_VERSION_1 = `
  ALTER TABLE frames ADD COLUMN envelope TEXT;
  ALTER TABLE frames ADD COLUMN corr TEXT;
  ALTER TABLE frames ADD COLUMN refutes TEXT;
  ALTER TABLE frames ADD COLUMN answers TEXT;
  ${ENVELOPE_INDEXES}
`

/**
 * What waits for whom, whatever that is (HD-03): in each lane the places of what was sent to a scope, to an entity or
 * (`@address`) to one mailbox alone; of each mailbox from where on it reads which of them, what it has lost, and what
 * it has taken out of turn. What was forgotten stands in no lane, whatever the lane says.
 */
const MAIL = `
  CREATE TABLE lanes (
    lane TEXT NOT NULL,
    priority TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    PRIMARY KEY (lane, priority, first_seq)
  ) WITHOUT ROWID;
  CREATE TABLE mailboxes (
    address TEXT PRIMARY KEY,
    from_seq INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    cursor INTEGER NOT NULL,
    stretches TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE taken (
    address TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    PRIMARY KEY (address, first_seq)
  ) WITHOUT ROWID;
  CREATE TABLE forgotten (first_seq INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL);
`

/** What sessions that left were called, the one that left last at the end (docs/http.md §4). */
const DEPARTED = `
  CREATE TABLE departed (place INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
`

/** What is remembered of the sessions of agent runtimes from one hook to the next (OP-03); the digest is of both. */
const HOOKS = `
  CREATE TABLE hooks (key TEXT PRIMARY KEY, state TEXT NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;
`

/**
 * What is known of where frames came from (FED-05): how far each lane has been applied and each stream read, what the hub
 * has of our own, reports on their way out, what others reported of our frames, and what nobody has any more. What
 * everything else hangs on has a check over its row.
 */
const ORIGINS = `
  CREATE TABLE marks (
    place INTEGER PRIMARY KEY,
    realm TEXT NOT NULL,
    lane TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seq INTEGER NOT NULL,
    row_check TEXT NOT NULL,
    UNIQUE (realm, lane, epoch)
  );
  CREATE TABLE link_cursors (
    realm TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    node TEXT NOT NULL,
    last TEXT,
    row_check TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE link_acks (
    realm TEXT PRIMARY KEY,
    last TEXT,
    reports INTEGER NOT NULL,
    stream_created TEXT NOT NULL,
    stream_seq INTEGER NOT NULL,
    row_check TEXT NOT NULL
  ) WITHOUT ROWID;
  -- Items of one turn about one node's frames, as JSON; n is the number of the last of them and is never given again.
  CREATE TABLE reports (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    realm TEXT NOT NULL,
    node TEXT NOT NULL,
    count INTEGER NOT NULL,
    items TEXT NOT NULL
  );
  CREATE TABLE remote_receipts (
    seq INTEGER NOT NULL,
    node TEXT NOT NULL,
    address TEXT NOT NULL,
    state TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    detail TEXT,
    PRIMARY KEY (seq, node, address)
  ) WITHOUT ROWID;
  CREATE TABLE holes (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    after_seq INTEGER NOT NULL,
    realm TEXT NOT NULL,
    lane TEXT NOT NULL,
    node TEXT NOT NULL,
    missing_from TEXT,
    missing_to TEXT NOT NULL
  );
`

/** Until then everything was accepted here first, and no mailbox had a hole to be told of. */
const FROM_VERSION_4 = `
  ALTER TABLE frames ADD COLUMN origin TEXT;
  ALTER TABLE mailboxes ADD COLUMN holes INTEGER NOT NULL DEFAULT 0;
  ${ORIGINS}
`

/** Until then a mailbox had a row for each frame that waited in it: those become runs of a lane of its own. */
const FROM_VERSION_2 = `
  ALTER TABLE mailboxes RENAME TO queued;
  ${MAIL}
  INSERT INTO lanes
    SELECT '@' || address, priority, min(seq), max(seq) FROM (
      SELECT address, priority, seq, seq - row_number() OVER (PARTITION BY address, priority ORDER BY seq) AS island
        FROM (
          SELECT address, queued.seq AS seq, coalesce(json_extract(envelope, '$.effectivePriority'), 'normal') AS priority
            FROM queued LEFT JOIN (
              SELECT seq, envelope FROM frames INDEXED BY frames_by_corr WHERE corr IS NOT NULL
            ) AS envelopes ON envelopes.seq = queued.seq
        )
    ) GROUP BY address, priority, island;
  INSERT INTO mailboxes
    SELECT address, coalesce(first_seq, before_seq + 1), coalesce(lost, 0), coalesce(before_seq, first_seq - 1), '[]'
      FROM (SELECT address FROM queued UNION SELECT address FROM losses)
      LEFT JOIN (SELECT address, min(seq) AS first_seq FROM queued GROUP BY address) USING (address)
      LEFT JOIN losses USING (address);
  DROP TABLE queued;
  DROP TABLE losses;
`

/** What brings a file from each older version to the next, the oldest first: the last leads to {@link VERSION}. */
const STEPS: readonly string[] = [FROM_VERSION_1, FROM_VERSION_2, `${DEPARTED}${HOOKS}`, FROM_VERSION_4]

const TABLES = `
  -- One row: which life of the counter this is, and how the last one ended.
  CREATE TABLE meta (
    epoch TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    ack TEXT NOT NULL,
    is_clean INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    -- Totals as of a clean end; after any other they are counted again.
    frames INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  );
  -- Earlier lives, and why a cursor from one of them says nothing any more.
  CREATE TABLE epochs (epoch TEXT PRIMARY KEY, fate TEXT NOT NULL) WITHOUT ROWID;
  -- No index on frame_id: ids are random, so every insert would dirty a page of it, six times the frame itself.
  -- The ids of this daemon's life are in memory; an older one is looked for by reading.
  CREATE TABLE frames (
    seq INTEGER PRIMARY KEY,
    frame_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    kind TEXT NOT NULL,
    sender_handle TEXT NOT NULL,
    tool TEXT,
    sender_address TEXT,
    scope TEXT NOT NULL,
    accepted_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    recipient_count INTEGER NOT NULL,
    queued_count INTEGER NOT NULL,
    audience INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    text TEXT NOT NULL,
    -- Of an envelope only: what the daemon knows of it, as JSON, and three of these for the indexes below.
    envelope TEXT,
    corr TEXT,
    refutes TEXT,
    answers TEXT,
    -- Of what another node accepted first: the realm it came by, that node, and its event id there.
    origin TEXT,
    -- Over every other column: a disk that gives back something else is found out before it is believed.
    row_check TEXT NOT NULL
  );
  ${ENVELOPE_INDEXES}
  -- The addresses a frame was emitted to and queued for; many frames share a row, none after last_seq.
  CREATE TABLE audiences (
    id INTEGER PRIMARY KEY,
    emitted_to TEXT NOT NULL,
    queued_to TEXT NOT NULL,
    last_seq INTEGER NOT NULL
  );
  CREATE INDEX audiences_by_last_seq ON audiences (last_seq);
  CREATE TABLE outcomes (
    seq INTEGER NOT NULL,
    address TEXT NOT NULL,
    state TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    via TEXT,
    PRIMARY KEY (seq, address)
  ) WITHOUT ROWID;
  ${MAIL}
  ALTER TABLE mailboxes ADD COLUMN holes INTEGER NOT NULL DEFAULT 0;
  ${DEPARTED}
  ${HOOKS}
  ${ORIGINS}
  CREATE TABLE sessions (address TEXT PRIMARY KEY, record TEXT NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;
`

/** Why a file has no tables this code can read, as the end of a sentence; undefined when it may have. */
export function versionFault(database: Database): string | undefined {
  const version: unknown = database.pragma('user_version', { simple: true })
  if (typeof version !== 'number' || version < 1) return 'is no store of agentd'
  return version > VERSION ? `is of a newer agentd (version ${version}, known is ${VERSION})` : undefined
}

/** What became of a file's tables. */
export type Migrated = 'current' | 'created' | 'foreign'

/**
 * Makes the tables of an empty file, or brings those of an older version up to date, in one transaction.
 *
 * @returns `foreign` for a file of a version this code does not know: it is set aside, never guessed at
 */
export function migrate(database: Database): Migrated {
  const version: unknown = database.pragma('user_version', { simple: true })
  if (version === VERSION) return 'current'
  if (typeof version !== 'number' || version < 0 || version > VERSION) return 'foreign'
  database.transaction(() => {
    for (const step of version === 0 ? [TABLES] : STEPS.slice(version - 1)) database.exec(step)
    database.pragma(`user_version = ${VERSION}`)
  })()
  return version === 0 ? 'created' : 'current'
}
