/**
 * Every bound of the doctor, with what it protects.
 */

/** How long a runtime may take to say its version, in milliseconds; one that hangs must not hold us up. */
export const VERSION_MS = 2_000

/** How long the daemon may take for its first answer, in milliseconds: one that hangs is a finding, and no reason to wait. */
export const DAEMON_MS = 2_000

/** What is read of a version; runtimes say it in one line. */
export const MAX_VERSION_CHARS = 200

/** A configuration file, in bytes. The state file of Claude Code grows to several megabytes. */
export const MAX_CONFIG_BYTES = 16 * 1_048_576

/** Files of one directory whose permissions are looked at. */
export const MAX_LOOKED_AT = 1_000

/** Versions of a plugin, and drop-in files of an administrator, that are read. */
export const MAX_DROP_INS = 32

/** Sessions that are probed in one go; each costs a connection that waits. */
export const MAX_PROBES = 64

/** How long a probe is waited for when nobody says otherwise, in milliseconds. */
export const DEFAULT_PROBE_MS = 15_000

/** The least a probe has to live, in milliseconds: one that was stale on arrival would prove nothing. */
export const MIN_PROBE_MS = 100

/** What is kept of what `curl` says: a number of three digits. */
export const MAX_EXCHANGE_CHARS = 16
