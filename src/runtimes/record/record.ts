/**
 * The record of an agent runtime: everything agentd knows about it. Its folder holds one, and the table
 * (`catalogue.ts`) names it.
 *
 * What hooks and MCP need stands in the record itself, and the rest is loaded for the commands that ask for it: a hook
 * is a process of its own, and would pay for it at each event.
 */
import type { DoctorRuntime } from '../doctor/target.ts'
import type { HookRuntime } from '../events/hook-runtime.ts'

/** How it is known that a runtime behaves so: its own binary was run, or its documentation says so. */
export interface Verified {
  readonly how: 'run' | 'documented'
  /** The version that was run, or that the documentation is of; undefined where it names none. */
  readonly version: string | undefined
}

/** What no hook asks for. */
export interface RuntimeAbout extends Omit<DoctorRuntime, 'id'> {
  /** Its fixtures under `test/runtimes/fixtures` say where they are from; a test compares. */
  readonly verified: Verified
}

/** One runtime. */
export interface Runtime extends HookRuntime {
  /** How `clientInfo.name` of its MCP host begins, in lower case. */
  readonly mcpClients: readonly string[]
  /** Members of an MCP call's `_meta` that name the calling session, likeliest first. */
  readonly mcpSessionMembers?: readonly string[]
  readonly load: () => Promise<{ readonly about: RuntimeAbout }>
}

/** One runtime, with all that is known of it. */
export type KnownRuntime = Runtime & RuntimeAbout
