/**
 * Finding out what has to be done to take a set-up back. Nothing is changed here.
 *
 * A file that is as we left it gets the bytes it had before. One that was changed since loses our entries and
 * nothing else.
 */
import { readEditedFile } from '../../host/files/edited-file.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { ownPart, readFileText, stripText } from './file-text.ts'
import { manifestName, readManifests, sha256, type FileRecord, type NamedManifest } from './manifest.ts'
import { isBareShell } from './files/shell-file.ts'
import type { Change, Step } from './step.ts'
import { manifestKeyOf } from './target.ts'
import type { RuntimeSetup, SetupRequest, DesiredFile } from './target.ts'

/**
 * @param setups - those named; undefined: all, wherever they were set up
 * @returns steps for everything that was set up for them, and for what stands there unrecorded
 */
export function planUninstall(
  setups: readonly RuntimeSetup[],
  request: SetupRequest,
  everywhere: boolean,
): readonly Step[] {
  const manifests = readManifests(request.paths.environment)
  const recorded = new Set(manifests.flatMap(({ manifest }) => manifest.files.map(({ target }) => target)))
  return setups.flatMap((setup) => {
    const own = manifests.filter(({ manifest }) => manifest.runtime === setup.id)
    const here = everywhere ? undefined : manifestKeyOf(setup, request)
    const named = own.filter(({ name }) => here === undefined || name === manifestName(setup.id, here))
    const steps = named.map((one) => guarded(setup, () => undoStep(setup, one, request)))
    if (everywhere && setup.isLocal === true) return steps
    const stray = guarded(setup, () => strayStep(setup, request, recorded))
    for (const { file } of stray.changes) recorded.add(file.target)
    return stray.changes.length > 0 || (stray.refusal !== undefined && steps.length === 0)
      ? [...steps, stray]
      : steps
  })
}

function undoStep(setup: RuntimeSetup, { name, manifest }: NamedManifest, request: SetupRequest): Step {
  const { id, title } = setup
  const { environment } = request.paths
  const outcomes = manifest.files.map((record) => undoFile(record, environment.uid))
  const kept = outcomes.flatMap((outcome) => (outcome.kind === 'kept' ? [outcome.note] : []))
  const { forget } = manifest
  // Only what is ours by now: the person may have given the name to something else.
  const state = forget === null ? 'absent' : (setup.server?.(request)?.state ?? 'same')
  const isOurs = state === 'same' || state === 'old'
  return {
    runtime: id,
    title,
    changes: outcomes.flatMap((outcome) => (outcome.kind === 'change' ? [outcome.change] : [])),
    commands: forget !== null && isOurs ? [{ ...forget, mayFail: false }] : [],
    notes: kept,
    // As long as something of ours is left, it is not forgotten.
    ...(kept.length === 0 && { forget: { name, manifest } }),
  }
}

type Undone =
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'kept'; readonly note: string }

function undoFile(record: FileRecord, uid: number): Undone {
  const file = readEditedFile(record.target, uid)
  if (file.bytes === undefined) return { kind: 'nothing' }
  const original = record.original === null ? undefined : Buffer.from(record.original, 'base64')
  const hash = sha256(file.bytes)
  if (hash === record.sha256Before) return { kind: 'nothing' }
  if (hash === record.sha256After) return { kind: 'change', change: { file, after: original } }
  const text = readFileText(file.bytes, record.path)
  const stripped = stripText(text, record, record.path)
  if (original === undefined && isEmptied(stripped, record))
    return { kind: 'change', change: { file, after: undefined } }
  if (stripped !== text) return { kind: 'change', change: { file, after: Buffer.from(stripped) } }
  if (record.format !== 'whole') return { kind: 'nothing' }
  return { kind: 'kept', note: `${record.path} was changed since agentd wrote it; remove it yourself.` }
}

/** Whether a file we made holds nothing any more. */
function isEmptied(text: string, { format }: FileRecord): boolean {
  if (format === 'whole') return false
  return format === 'shell' ? isBareShell(text) : text.replace(/^\uFEFF/, '').trim() === ''
}

/** Entries of ours that no manifest speaks of: the state directory was lost, or moved. */
function strayStep(setup: RuntimeSetup, request: SetupRequest, recorded: ReadonlySet<string>): Step {
  const { uid } = request.paths.environment
  const changes = setup.files(request).flatMap((desired): Change[] => {
    if (desired.format === 'whole') return []
    const file = readEditedFile(desired.path, uid)
    if (file.bytes === undefined || recorded.has(file.target)) return []
    const stripped = stripStray(desired, readFileText(file.bytes, desired.path))
    return stripped === undefined ? [] : [{ file, after: Buffer.from(stripped) }]
  })
  return { runtime: setup.id, title: setup.title, changes, commands: [], notes: [] }
}

/** @returns undefined when there is nothing of ours in it, or no way to tell */
function stripStray(desired: DesiredFile, text: string): string | undefined {
  try {
    const stripped = stripText(text, ownPart(desired), desired.path)
    return stripped === text ? undefined : stripped
  } catch (error) {
    // A file that is not understood is none we have written into.
    if (error instanceof HostRefusal) return undefined
    throw error
  }
}

function guarded({ id: runtime, title }: RuntimeSetup, plan: () => Step): Step {
  try {
    return plan()
  } catch (error) {
    if (!(error instanceof HostRefusal)) throw error
    return { runtime, title, changes: [], commands: [], notes: [], refusal: error.message }
  }
}
