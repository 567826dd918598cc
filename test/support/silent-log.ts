import type { Logger } from '../../src/core/log.ts'

/** Says nothing; for tests that do not look. */
export const silentLog: Logger = { info() {}, warn() {}, error() {} }
