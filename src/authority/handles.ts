/**
 * The handles of one person on this machine: the principal's own, further Sovereign ones for other organisational contexts,
 * and the instruments that were declared. What tier a handle is of is said here and nowhere else; how it begins is a custom.
 *
 * @see memo §§1, 2; IDPRONOUNS, as far as it is public (docs/requirements.md §1); ACQ-11, ACQ-13. The file is a local profile.
 */
import { invalidField } from '../aee/envelope/fault.ts'
import { readMember } from '../aee/envelope/record.ts'
import { AgentdError } from '../core/errors.ts'
import { orRefusal } from '../core/thrown.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import { parseJson } from '../core/text/json.ts'
import { isHandle } from '../protocol/address/handle.ts'

/** Who controls a handle: a person, or the vendor of an agent runtime. */
export const TIERS = ['sovereign', 'instrument'] as const
export type Tier = (typeof TIERS)[number]

/** One declared handle. */
export interface DeclaredHandle {
  readonly handle: string
  readonly tier: Tier
  /** Of an instrument: the Sovereign handle it acts for. Absent: the principal. */
  readonly of?: string | undefined
}

/** Handles one person may declare: the bound protects whoever asks for all of them. */
export const MAX_DECLARED_HANDLES = 256

const NAMES: ReadonlySet<string> = new Set(['handle', 'tier', 'of'])

/** All handles of one person; without a file, the principal alone. */
export class Handles {
  readonly principal: string
  readonly declared: readonly DeclaredHandle[]
  readonly #byHandle: ReadonlyMap<string, DeclaredHandle>

  /** @throws AgentdError `field-invalid` for a list that contradicts itself */
  constructor(principal: string, declared: readonly DeclaredHandle[] = []) {
    requireConsistent(principal, declared)
    this.principal = principal
    this.declared = declared
    const own: DeclaredHandle = { handle: principal, tier: 'sovereign' }
    this.#byHandle = new Map([own, ...declared].map((one) => [one.handle, one]))
  }

  /** Undefined for a handle that nobody declared. */
  tierOf(handle: string): Tier | undefined {
    return this.#byHandle.get(handle)?.tier
  }

  /** The Sovereign handle that a handle acts for: itself, whose instrument it is, or the principal. */
  actorOf(handle: string): string {
    const found = this.#byHandle.get(handle)
    return found?.tier === 'sovereign' ? handle : (found?.of ?? this.principal)
  }

  /** Every Sovereign handle, the principal first. */
  get sovereign(): readonly string[] {
    return [...this.#byHandle.values()].flatMap(({ handle, tier }) => (tier === 'sovereign' ? [handle] : []))
  }
}

/**
 * Reads the file: `{"handles": [{"handle", "tier", "of"?}]}`.
 *
 * @throws AgentdError `field-invalid`, field the member, or `handles` for the whole
 */
export function readHandles(principal: string, text: string): Handles {
  const value = orRefusal(() => parseJson(text, 'handles'))
  const listed = isJsonObject(value) ? readMember(value, 'handles') : undefined
  if (value instanceof AgentdError || !Array.isArray(listed) || listed.length > MAX_DECLARED_HANDLES)
    throw invalidField(
      'handles',
      `must be a list of at most ${MAX_DECLARED_HANDLES} handles in one JSON object`,
    )
  return new Handles(
    principal,
    listed.map((one, i) => readOne(one, `handles[${i}]`)),
  )
}

/** The file of them. */
export function formatHandles({ declared }: Handles): string {
  return `${JSON.stringify({ handles: declared }, undefined, 2)}\n`
}

function readOne(value: unknown, field: string): DeclaredHandle {
  if (!isJsonObject(value) || Object.keys(value).some((name) => !NAMES.has(name)))
    throw invalidField(field, `must be an object of ${[...NAMES].join(', ')}`)
  const [handle, tier, of] = [...NAMES].map((name) => readMember(value, name))
  if (typeof handle !== 'string' || !isHandle(handle))
    throw invalidField(`${field}.handle`, 'must be a canonical handle such as ~alice-work')
  const known = TIERS.find((one) => one === tier)
  if (known === undefined) throw invalidField(`${field}.tier`, `must be ${TIERS.join(' or ')}`)
  if (of === undefined) return { handle, tier: known }
  if (typeof of !== 'string' || known !== 'instrument')
    throw invalidField(`${field}.of`, 'is the Sovereign handle that an instrument acts for')
  return { handle, tier: known, of }
}

function requireConsistent(principal: string, declared: readonly DeclaredHandle[]): void {
  const seen = new Set([principal])
  for (const [i, { handle }] of declared.entries()) {
    if (seen.has(handle))
      throw invalidField(`handles[${i}].handle`, 'is declared already, or is the principal')
    seen.add(handle)
  }
  const sovereign = new Set([
    principal,
    ...declared.flatMap((one) => (one.tier === 'sovereign' ? [one.handle] : [])),
  ])
  for (const [i, { of }] of declared.entries()) {
    if (of !== undefined && !sovereign.has(of))
      throw invalidField(`handles[${i}].of`, 'must be one of the Sovereign handles here')
  }
}
