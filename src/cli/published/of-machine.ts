/**
 * What commands about this machine print: the daemon, the runtimes, the command itself.
 */
import { COUNT, OBJECT, TEXT, YES_OR_NO, listOf, oneOf, orNull, shape, type Schema } from './shape.ts'

const PID: Schema = { type: 'integer', minimum: 1 }

/** Name → what it is the shape of. */
export const MACHINE_SCHEMAS: Readonly<Record<string, Schema>> = {
  'cli-error': shape({ code: TEXT, message: TEXT, exit_code: COUNT, 'field?': TEXT, 'line?': COUNT }),
  'cli-completion': shape({ shell: oneOf('bash', 'zsh', 'fish'), script: TEXT }),
  'cli-help': {
    anyOf: [shape({ help: TEXT, text: TEXT }), shape({ topics: listOf(shape({ name: TEXT, says: TEXT })) })],
  },
  'cli-version': shape({
    version: TEXT,
    node: TEXT,
    platform: TEXT,
    arch: TEXT,
    sqlite: {
      anyOf: [
        shape({ driver: oneOf('better-sqlite3', 'node:sqlite'), version: TEXT }),
        shape({ driver: { type: 'null' }, why: TEXT }),
      ],
    },
  }),
  'cli-start': shape({ started: YES_OR_NO, pid: PID, socket: TEXT, log: TEXT }),
  'cli-stop': shape({ stopped: YES_OR_NO, 'pid?': PID, 'killed?': YES_OR_NO }),
  'cli-status': shape({
    status: oneOf('healthy', 'degraded', 'unhealthy'),
    version: TEXT,
    pid: PID,
    epoch: TEXT,
    principal: TEXT,
    started_at: TEXT,
    uptime_ms: COUNT,
    sessions: COUNT,
    subscriptions: COUNT,
    ring: orNull(OBJECT),
    details: listOf(TEXT),
    socket: TEXT,
  }),
  'cli-adopted': shape({ adopted: TEXT, path: TEXT, frames: COUNT, aside: orNull(TEXT) }),
  'cli-settings': shape({ file: TEXT, settings: listOf(OBJECT) }),
  'cli-setting': shape({ key: TEXT, value: {}, source: {} }),
  'cli-setting-changed': shape({ key: TEXT }),
  'cli-config-path': shape({ file: TEXT, exists: YES_OR_NO }),
  'cli-log-line': OBJECT,
  'cli-report': shape({ sections: {}, written: orNull(TEXT) }),
  'cli-service': {
    anyOf: [
      shape({ files: listOf({}), run: listOf(TEXT), 'notes?': listOf(TEXT) }),
      shape({ written: listOf(TEXT), run: listOf(TEXT), notes: listOf(TEXT) }),
      shape({ removed: listOf(TEXT), run: listOf(TEXT) }),
    ],
  },
  'cli-uninstall': shape({
    changed: YES_OR_NO,
    failures: listOf(OBJECT),
    left: listOf(OBJECT),
    remove: listOf(TEXT),
  }),
  'cli-ui': {
    anyOf: [shape({ stopped: YES_OR_NO, 'pid?': PID }), shape({ url: TEXT, pid: PID, port: COUNT })],
  },
  'cli-setup': shape({ changed: YES_OR_NO, runtimes: listOf(OBJECT) }),
  'cli-doctor': shape({
    ok: YES_OR_NO,
    findings: listOf(shape({ state: TEXT })),
  }),
  'cli-git-verify': shape({
    checked: COUNT,
    wrong: COUNT,
    ring: YES_OR_NO,
    commits: listOf(shape({ commit: TEXT, committed_at: TEXT, verdict: TEXT, subject: TEXT })),
  }),
  'cli-observe': shape({
    path: TEXT,
    repository: orNull(TEXT),
    worktree: orNull(TEXT),
    worktrees: listOf(OBJECT),
    daemon: YES_OR_NO,
    sessions: orNull(listOf(OBJECT)),
    processes: listOf(shape({ pid: PID, program: TEXT })),
    changed: orNull(listOf(shape({ path: TEXT, state: TEXT }))),
    unseen: listOf({}),
  }),
}
