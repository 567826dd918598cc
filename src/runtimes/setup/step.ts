/**
 * What is going to be done for one runtime, known in full before any of it is done.
 */
import type { EditedFile } from '../../host/files/edited-file.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { unifiedDiff } from './files/diff.ts'
import { readFileText, type OwnPart } from './file-text.ts'
import type { NamedManifest } from './manifest.ts'
import type { RuntimeSetup, ServerList } from './target.ts'

/** By what our own part of a file is found in it. */
export type OwnFormat = Pick<OwnPart, 'format' | 'hookName'>

/** One file that is going to change. */
export interface Change {
  readonly own: OwnFormat
  readonly file: EditedFile
  /** Undefined: it is removed. */
  readonly after: Buffer | undefined
}

/** A program that is going to be run. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  /** Where it is run; undefined where that makes no difference. */
  readonly directory?: string | undefined
  /** Whether the next ones make sense when it fails. */
  readonly mayFail: boolean
}

/** One runtime's share of a set-up or an undoing. */
export interface Step {
  readonly runtime: string
  readonly title: string
  readonly changes: readonly Change[]
  readonly commands: readonly Command[]
  /** What goes behind the commands, if they have left it empty. */
  readonly emptied?: ServerList | undefined
  readonly notes: readonly string[]
  /** Why nothing is done for it; a sentence. */
  readonly refusal?: string
  /** Written before the files are changed; absent when nothing is to be remembered. */
  readonly remember?: NamedManifest
  /** The manifest that is done with afterwards, and what may have to be cleared away. */
  readonly forget?: NamedManifest
}

/** For whom nothing is done. */
export function idleStep({ id: runtime, title }: Pick<RuntimeSetup, 'id' | 'title'>): Step {
  return { runtime, title, changes: [], commands: [], notes: [] }
}

/** The step that is planned, or one that says why it cannot be: it holds no other up. */
export function stepOrRefusal(setup: Pick<RuntimeSetup, 'id' | 'title'>, plan: () => Step): Step {
  try {
    return plan()
  } catch (error) {
    if (!(error instanceof HostRefusal)) throw error
    return { ...idleStep(setup), refusal: error.message }
  }
}

/** The difference a change makes, as it is shown. */
export function showChange({ file, after }: Change): string {
  const { path, bytes } = file
  const text = (content: Buffer | undefined): string =>
    content === undefined ? '' : readFileText(content, path)
  return unifiedDiff(text(bytes), text(after), {
    before: bytes === undefined ? undefined : path,
    after: after === undefined ? undefined : path,
  })
}

/** Whether there is anything to do. */
export function isIdle({ changes, commands, forget }: Step): boolean {
  return changes.length === 0 && commands.length === 0 && forget === undefined
}
