/**
 * Finding out what has to be done to take a set-up back. Nothing is changed here.
 *
 * A file that is as we left it gets the bytes it had before. One that was changed since loses our entries and
 * nothing else.
 */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { MAX_EDITED_BYTES, readEditedFile } from '../../host/files/edited-file.ts'
import { readJudgedFile } from '../../host/files/own-file.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { ownPart, readFileText, stripText } from './file-text.ts'
import {
  manifestName,
  manifestNames,
  readManifest,
  readManifests,
  sha256,
  type FileRecord,
  type NamedManifest,
} from './manifest.ts'
import { isBareShell } from './files/shell-file.ts'
import type { RuntimePaths } from './paths.ts'
import { idleStep, stepOrRefusal, type Change, type Command, type Step } from './step.ts'
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
    const steps = named.map((one) => stepOrRefusal(setup, () => undoStep(setup, one, request)))
    if (everywhere && setup.isLocal === true) return steps
    return [...steps, ...strays(setup, { request, recorded, isFirst: steps.length === 0 })]
  })
}

/**
 * Everything on record, each set-up by itself, and what stands unrecorded in the files of this user: what cannot be
 * taken back says why, and holds nothing else up.
 */
export function planRemoval(setups: readonly RuntimeSetup[], request: SetupRequest): readonly Step[] {
  const recorded = new Set<string>()
  const steps = manifestNames(request.paths.environment).map((name) =>
    planRecorded(name, { setups, request, recorded }),
  )
  // Beside a record that cannot be read, nobody knows what the files were before us.
  const unread = new Set(steps.flatMap(({ runtime, refusal }) => (refusal === undefined ? [] : [runtime])))
  const others = setups.filter(({ id, isLocal }) => isLocal !== true && !unread.has(id))
  return [...steps, ...others.flatMap((setup) => strays(setup, { request, recorded, isFirst: true }))]
}

/** @param about - `recorded` gets the files it speaks of */
function planRecorded(
  name: string,
  about: {
    readonly setups: readonly RuntimeSetup[]
    readonly request: SetupRequest
    readonly recorded: Set<string>
  },
): Step {
  const { setups, request, recorded } = about
  const setup = setups.find(({ id }) => name === id || name.startsWith(`${id}-`))
  const { id, title } = setup ?? { id: name, title: name }
  return stepOrRefusal({ id, title }, () => {
    const manifest = readManifest(request.paths.environment, name)
    for (const { target } of manifest?.files ?? []) recorded.add(target)
    if (manifest === undefined) return idleStep({ id, title })
    if (setup !== undefined) return undoStep(setup, { name, manifest }, request)
    throw new HostRefusal(`${title} was set up by another version of agentd, which has to take it out.`)
  })
}

function strays(
  setup: RuntimeSetup,
  about: { readonly request: SetupRequest; readonly recorded: Set<string>; readonly isFirst: boolean },
): readonly Step[] {
  const { request, recorded, isFirst } = about
  const stray = stepOrRefusal(setup, () => strayStep(setup, request, recorded))
  for (const { file } of stray.changes) recorded.add(file.target)
  return stray.changes.length > 0 || (stray.refusal !== undefined && isFirst) ? [stray] : []
}

function undoStep(setup: RuntimeSetup, { name, manifest }: NamedManifest, request: SetupRequest): Step {
  const { id, title } = setup
  const { uid } = request.paths.environment
  const outcomes = manifest.files.map((record) => undoFile(record, uid))
  const kept = outcomes.flatMap((outcome) => (outcome.kind === 'kept' ? [outcome.note] : []))
  const { commands, emptied, notes, isKept } = forgetServer(setup, { name, manifest }, request)
  return {
    runtime: id,
    title,
    changes: outcomes.flatMap((outcome) => (outcome.kind === 'change' ? [outcome.change] : [])),
    commands,
    emptied,
    notes: [...kept, ...notes],
    // As long as something of ours is left, it is not forgotten.
    ...(kept.length === 0 && !isKept && { forget: { name, manifest } }),
  }
}

interface Forgetting {
  readonly commands: readonly Command[]
  readonly emptied?: Step['emptied']
  readonly notes: readonly string[]
  /** Set where the server cannot be taken out from here: what is known of it is kept. */
  readonly isKept: boolean
}

/** Only what is ours by now: the person may have given the name to something else. */
function forgetServer(setup: RuntimeSetup, named: NamedManifest, request: SetupRequest): Forgetting {
  const { forget } = named.manifest
  const nothing: Forgetting = { commands: [], notes: [], isKept: false }
  if (forget === null) return nothing
  const { title, id } = setup
  const project = findProject(setup, named, request)
  if (named.name !== id && project === undefined) {
    const note = `${title} has a server of agentd in a project; run "agentd setup ${id} --undo --scope project" there.`
    return { ...nothing, notes: [note], isKept: true }
  }
  const paths: RuntimePaths =
    project === undefined
      ? { ...request.paths, scope: 'user' }
      : { ...request.paths, scope: 'project', project }
  const server = setup.server?.({ ...request, paths })
  const state = server?.state ?? 'same'
  if (state !== 'same' && state !== 'old') return nothing
  const program = existsSync(forget.program) ? forget.program : server?.program
  if (program === undefined || (project !== undefined && !existsSync(project))) {
    const gone = program === undefined ? forget.program : project
    return {
      ...nothing,
      notes: [`${gone} is gone; what is left of ${title}'s server "agentd" is started by nobody.`],
    }
  }
  const emptied = forget.keepsList === true ? undefined : server?.list
  const { args } = forget
  return { ...nothing, commands: [{ program, args, directory: project, mayFail: false }], emptied }
}

/** The project that was set up, whose folder the record's name is made from; undefined for the user's, or an unknown one. */
function findProject(
  { id }: RuntimeSetup,
  { name, manifest }: NamedManifest,
  request: SetupRequest,
): string | undefined {
  const above = manifest.files.flatMap(({ path }) => foldersAbove(path))
  const known = manifest.forget?.directory
  const folders = [...(known === undefined ? [] : [known]), request.paths.project, ...above]
  return folders.find((folder) => manifestName(id, folder) === name)
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...foldersAbove(folder)]
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
  const own = record
  if (hash === record.sha256After) return { kind: 'change', change: { own, file, after: original } }
  const text = readFileText(file.bytes, record.path)
  const stripped = stripText(text, record, record.path)
  if (original === undefined && isEmptied(stripped, record))
    return { kind: 'change', change: { own, file, after: undefined } }
  if (stripped !== text) return { kind: 'change', change: { own, file, after: Buffer.from(stripped) } }
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
    // Nothing of ours is in it, so it may be as it likes: read-only, somebody else's, of no use to us.
    if (desired.format === 'whole' || !namesUs(desired.path)) return []
    const file = readEditedFile(desired.path, uid)
    if (file.bytes === undefined || recorded.has(file.target)) return []
    const stripped = stripStray(desired, readFileText(file.bytes, desired.path))
    return stripped === undefined ? [] : [{ own: ownPart(desired), file, after: Buffer.from(stripped) }]
  })
  return { ...idleStep(setup), changes }
}

function namesUs(path: string): boolean {
  const found = readJudgedFile(path, ({ size }) => (size > MAX_EDITED_BYTES ? 'it is too large' : undefined))
  return found.kind === 'text' && found.text.includes('agentd')
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
