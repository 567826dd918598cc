/**
 * What a row of the verb table is made of.
 *
 * @see AC-172, docs/http.md §8
 */
import * as z from 'zod'
import { Basis, ComputeLocation, ContextCheck, MethodTags, ReturnRef, TtlMs } from '../frame/frame.ts'
import { Handle } from '../address/handle.ts'
import type { Kind } from '../frame/kinds.ts'

/** What every verb takes besides its own arguments. */
export const Common = {
  recipient_scope: z.string().optional(),
  recipient_handle: Handle.optional(),
  ttl_ms: TtlMs.optional(),
  drafted_with: Handle.optional(),
  /** False: a diagnosis is sent with the secrets that are in it (AC-186). */
  redact: z.boolean().optional(),
  provenance: z
    .strictObject({
      compute_location: ComputeLocation.optional(),
      method: MethodTags.optional(),
      return_ref: ReturnRef.optional(),
      context_check: ContextCheck.optional(),
      basis: Basis.optional(),
    })
    .optional(),
}

/** The common arguments on their own; whatever else a verb takes is ignored. */
export const CommonArguments = z.object(Common)

/** What a verb knows of its caller when it fills in what the caller left out. */
export interface VerbContext {
  readonly actedBy: string
  readonly draftedWith: string
  /** The caller's session, or `shell` for the principal itself. */
  readonly sessionId: string
  /** Where answers to this caller go: its own session, or all of the principal's. */
  readonly ownScope: string
  readonly nowIso: string
  /** Where an answer goes to the query it is of, or to the decision asked for; undefined for anything else. */
  readonly responseScope: string | undefined
}

/** What a verb becomes: a draft, where it goes by default, and the ids the caller needs to go on. */
export interface VerbDraft {
  readonly kind: Kind
  readonly payload: Readonly<Record<string, unknown>>
  readonly scope?: string | undefined
  readonly ttlMs?: number | undefined
  readonly ids?: { readonly query_id?: string; readonly lease_id?: string; readonly diagnostic_id?: string }
}

export type Arguments = Readonly<Record<string, unknown>>

/** One row of the table. */
export interface Verb {
  /** The closed object of its arguments. */
  readonly args: z.ZodType<Arguments>
  /** Each of them on its own, the common ones too. */
  readonly shape: z.ZodRawShape
  /** The one argument that a `text/plain` body stands for, where there is one. */
  readonly text: string | undefined
  compose(args: Arguments, context: VerbContext): VerbDraft
}

/** A row whose arguments are typed where it is written and checked before it is called. */
export function verb<S extends z.ZodRawShape>(
  shape: S,
  compose: (args: z.infer<z.ZodObject<S & typeof Common>>, context: VerbContext) => VerbDraft,
  text?: keyof S & string,
): Verb {
  const all = { ...Common, ...shape }
  const args = z.strictObject(all)
  // The caller hands `compose` what `args` has just returned; a table of unlike rows cannot say so itself.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { args, shape: all, text, compose: (values, context) => compose(values as never, context) }
}

/** A verb's own arguments under their payload names: the common ones stay out, absent ones too. */
export function rename(args: Arguments, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const own = Object.entries(args).filter(
    ([name, value]) => value !== undefined && !Object.hasOwn(Common, name),
  )
  return Object.fromEntries(own.map(([name, value]) => [names[name] ?? name, value]))
}
