/**
 * What the doctor has found: one sentence per thing looked at.
 */

/** `off` is a thing that is not on and need not be; `fail` is one that is meant to work and does not. */
export type FindingState = 'ok' | 'warn' | 'fail' | 'off'

/** One thing that was looked at. */
export interface DoctorFinding {
  /** `agentd`, `links`, `live`, or the id of a runtime. */
  readonly area: string
  /** What was looked at, for programs: a word that stays the same from version to version. */
  readonly name: string
  readonly state: FindingState
  readonly sentence: string
  /** What a person can do about it; a command where there is one. */
  readonly fix?: string
  /** What became of a probe. */
  readonly probe?: ProbeOutcome
}

/** A probe's fate at one session. */
export interface ProbeOutcome {
  /** Empty at a daemon that gives no names. */
  readonly name: string
  readonly address: string
  /** `seen` was said by the receiving side; all others are not a delivery. */
  readonly state: 'seen' | 'handed' | 'emitted' | 'queued' | 'expired' | 'dropped' | 'nobody'
  /** How the receiving side came by it. */
  readonly via: string | undefined
  /** From its acceptance by the daemon to being seen, in milliseconds. */
  readonly afterMs: number | undefined
  /** What the session declares about itself. */
  readonly delivery: Readonly<Record<string, string | undefined>> | null
}

/** Sentences about one area. */
export interface Notes {
  ok(name: string, sentence: string): DoctorFinding
  off(name: string, sentence: string, fix?: string): DoctorFinding
  warn(name: string, sentence: string, fix?: string): DoctorFinding
  fail(name: string, sentence: string, fix?: string): DoctorFinding
}

/** The four ways to speak about one area. */
export function notesOn(area: string): Notes {
  const say =
    (state: FindingState) =>
    (name: string, sentence: string, fix?: string): DoctorFinding => ({
      area,
      name,
      state,
      sentence,
      ...(fix !== undefined && { fix }),
    })
  return { ok: say('ok'), off: say('off'), warn: say('warn'), fail: say('fail') }
}
