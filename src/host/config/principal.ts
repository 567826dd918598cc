/**
 * Whose daemon this is: the principal's handle.
 *
 * @see docs/http.md §1; handle grammar and the refusal of `~org` ACQ-10, instrument prefixes ACQ-11
 */
import { UsageError } from '../../core/errors.ts'
import { configPath, configString } from './paths.ts'
import type { Environment } from './paths.ts'

/** The longest handle body, without its tilde. */
const MAX_BODY_LENGTH = 32

const HANDLE = /^~[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/

/** Bodies that mean something else: the pronoun, and what conventionally begins an instrument's handle. */
const RESERVED = /^(?:org$|(?:cc|gpt|gemini|llama|claude|mistral)-)/

/**
 * The handle this user speaks under: `--principal`, AGENTD_PRINCIPAL, the configuration's `principal`, or the
 * user's name folded to the grammar. The tilde may be left out.
 *
 * @returns a handle such as `~alice`
 * @throws UsageError when a named one is no handle of a person; a folded name always is one
 */
export function principalFrom(environment: Environment, explicit?: string): string {
  if (explicit !== undefined) return requireHandle(explicit, '--principal')
  const variable = environment.env['AGENTD_PRINCIPAL']
  if (variable) return requireHandle(variable, 'AGENTD_PRINCIPAL')
  const configured = configString(environment, 'principal')
  if (configured !== undefined) return requireHandle(configured, `principal in ${configPath(environment)}`)
  return foldUserName(environment)
}

/** A name of a person, with or without its tilde. @returns the handle. @throws UsageError that says where it stands */
export function requireHandle(name: string, where: string): string {
  const handle = name.startsWith('~') ? name : `~${name}`
  if (!HANDLE.test(handle)) {
    throw new UsageError(
      `${where} is "${name}", which is no handle: use 1 to ${MAX_BODY_LENGTH} of a-z, 0-9 and inner hyphens.`,
    )
  }
  // How a handle begins is a custom and proves nothing (ACQ-11); the pronoun stands for somebody else each time.
  if (handle === '~org') {
    throw new UsageError(`${where} is "${name}", which cannot stand for a person; choose another handle.`)
  }
  return handle
}

function foldUserName(environment: Environment): string {
  const body = fold(environment.userName)
  if (body === '') return `~u-${environment.uid}`
  return `~${RESERVED.test(body) ? fold(`u-${body}`) : body}`
}

function fold(name: string): string {
  const hyphenated = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return hyphenated.replace(/^-/, '').slice(0, MAX_BODY_LENGTH).replace(/-$/, '')
}
