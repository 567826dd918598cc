/**
 * What a person has set for hooks: the `hooks` section of the configuration file.
 *
 * Read tolerantly: the daemon says what is wrong with the file, a hook says nothing and takes the default.
 */
import { statSync } from 'node:fs'
import type { Clock } from '../../core/clock.ts'
import type { ForeignWish } from '../../protocol/address/foreign.ts'
import { configPath, type Environment } from '../../host/config/paths.ts'
import { readOwnFile } from '../../host/files/own-file.ts'
import { DEFAULT_CONTEXT_CHARS, DEFAULT_WAKES } from '../../runtimes/events/budget.ts'
import { memberOf, numberOf, objectOf, parseMembers } from '../../core/text/json-object.ts'

/** How hooks behave. */
export interface HookSettings {
  /** What is done about an edit of a file somebody else is at. `ask-once`: the first try is denied, its repetition passes. */
  readonly conflict: 'show' | 'deny' | 'ask-once'
  /** Characters of context shown at once. */
  readonly contextChars: number
  /** Wakes of one session in ten minutes. */
  readonly wakes: number
  /** Whether an idle session may be woken. */
  readonly wakesIdle: boolean
  /** What is done with what other principals sent over a link; it wakes nobody either way (FED-64). */
  readonly foreign: ForeignWish
}

/** A section holds a handful of numbers; these bounds keep a slip of the pen from flooding a context. */
const MAX_CONTEXT_CHARS = 10_000
const MIN_CONTEXT_CHARS = 500
const MAX_WAKES = 60

/** Between two looks at the file, in milliseconds: a person does not change it and act within less. */
const LOOK_EVERY_MS = 100

/** Reads the file when it is another one than before: a person changes it and goes on working. */
export class HookSettingsFile {
  readonly #environment: Environment
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #lookedAtMs = -Infinity
  #stamp: string | undefined
  #settings: HookSettings | undefined

  constructor(environment: Environment, clock: Pick<Clock, 'monotonicMs'>) {
    this.#environment = environment
    this.#clock = clock
  }

  /** What is set now. */
  get(): HookSettings {
    const nowMs = this.#clock.monotonicMs()
    if (this.#settings !== undefined && nowMs - this.#lookedAtMs < LOOK_EVERY_MS) return this.#settings
    this.#lookedAtMs = nowMs
    const stamp = stampOf(configPath(this.#environment))
    if (this.#settings === undefined || stamp !== this.#stamp)
      this.#settings = readHookSettings(this.#environment)
    this.#stamp = stamp
    return this.#settings
  }
}

/** Equal for two looks at one file that nobody has changed between them. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs} ${found.mode}`
}

function readHookSettings(environment: Environment): HookSettings {
  const file = readOwnFile(configPath(environment), environment.uid)
  const content = file.kind === 'text' ? parseMembers(file.text) : undefined
  const section = objectOf(content && memberOf(content, 'hooks'))
  const conflict = memberOf(section, 'conflict')
  return {
    conflict: conflict === 'deny' || conflict === 'ask-once' ? conflict : 'show',
    contextChars:
      within(numberOf(section, 'budget_bytes'), MIN_CONTEXT_CHARS, MAX_CONTEXT_CHARS) ??
      DEFAULT_CONTEXT_CHARS,
    wakes: within(numberOf(section, 'wakes_per_10_min'), 0, MAX_WAKES) ?? DEFAULT_WAKES,
    foreign: memberOf(section, 'foreign') === 'show' ? 'show' : 'count',
    wakesIdle: memberOf(section, 'wake_idle') !== false,
  }
}

function within(value: number | undefined, least: number, most: number): number | undefined {
  return value !== undefined && Number.isInteger(value) && value >= least && value <= most ? value : undefined
}
