/**
 * Finding out what a set-up has to change. Nothing is changed here.
 */
import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { shellWord } from '../../core/text/shell-word.ts'
import { missingDirectories, readEditedFile, type EditedFile } from '../../host/files/edited-file.ts'
import type { Environment } from '../../host/config/paths.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { mergeText, ownPart, readFileText, stripText, type Merged } from './file-text.ts'
import type { MadePlace } from './files/json-draft.ts'
import { manifestName, readManifest, sha256, type FileRecord, type Manifest } from './manifest.ts'
import { stepOrRefusal, type Change, type Command, type Step } from './step.ts'
import { manifestKeyOf } from './target.ts'
import type { RuntimeSetup, SetupRequest, VendorServer, DesiredFile } from './target.ts'

/** One file's change, and what is written down about it. */
interface Planned {
  readonly change: Change
  readonly record: FileRecord
}

const NEW_SCRIPT_MODE = 0o755

/** Whose files they are, and the top of the project where they are a project's. */
interface Whereabouts {
  readonly environment: Environment
  readonly top: string | undefined
}

/** @returns one step for each runtime, in their order; a file that two of them share is in the first's */
export function planInstall(setups: readonly RuntimeSetup[], request: SetupRequest): readonly Step[] {
  const taken = new Set<string>()
  return setups.map((setup) => {
    const step = stepOrRefusal(setup, () => planOne(setup, request, taken))
    for (const { file } of step.changes) taken.add(file.target)
    return step
  })
}

function planOne(setup: RuntimeSetup, request: SetupRequest, taken: ReadonlySet<string>): Step {
  const { environment } = request.paths
  const name = manifestName(setup.id, manifestKeyOf(setup, request))
  const known = readManifest(environment, name)
  const top = setup.isLocal === true || request.paths.scope === 'project' ? request.paths.project : undefined
  const desired = setup.files(request).filter(({ part }) => request.parts.includes(part))
  const planned = desired.flatMap((file) => planFile(file, known, { environment, top }) ?? [])
  const fresh = planned.filter(({ change }) => !taken.has(change.file.target))
  const server = request.parts.includes('mcp') ? setup.server?.(request) : undefined
  const { commands, notes } = planServer(server)
  const step: Step = {
    runtime: setup.id,
    title: setup.title,
    changes: fresh.map(({ change }) => change),
    commands,
    notes: [...notes, ...setup.notes(request)],
  }
  if (fresh.length === 0 && commands.length === 0) return step
  const forget = commands.length > 0 ? forgetServer(server, known) : (known?.forget ?? null)
  const records = fresh.map(({ record }) => record)
  return { ...step, remember: { name, manifest: remembered({ runtime: setup.id, known, records, forget }) } }
}

/** @returns undefined when the file holds all of it already */
function planFile(
  desired: DesiredFile,
  known: Manifest | undefined,
  { environment: { uid }, top }: Whereabouts,
): Planned | undefined {
  const found = readEditedFile(desired.path, uid)
  if (top !== undefined) requireInside(found, top)
  const before = found.bytes === undefined ? '' : readFileText(found.bytes, desired.path)
  requireReplaceable(desired, found, known)
  const record = findRecord(known, found)
  const merged = mergeText(before, desired, record?.made)
  if (merged.text === before && found.bytes !== undefined) return undefined
  const after = Buffer.from(merged.text)
  const isNewScript = desired.format === 'shell' && (found.bytes === undefined || before.trim() === '')
  const file = isNewScript ? { ...found, mode: NEW_SCRIPT_MODE } : found
  return {
    change: { own: ownPart(desired), file, after },
    record: recordOf(desired, { file, after, merged, known: record }),
  }
}

/**
 * A repository is somebody else's work, its links too: what is named within it is written within it (HD-22).
 *
 * @throws HostRefusal that names the file a link leads to
 */
function requireInside({ path, target }: EditedFile, top: string): void {
  if (!isWithin(top, path) || isWithin(realpathSync(top), target)) return
  throw new HostRefusal(`${path} is left alone: it leads out of ${top}, to ${target}.`)
}

function isWithin(top: string, path: string): boolean {
  return resolve(path).startsWith(top.endsWith('/') ? top : `${top}/`)
}

/** A whole file is replaced only where it is ours. */
function requireReplaceable(desired: DesiredFile, found: EditedFile, known: Manifest | undefined): void {
  if (desired.format !== 'whole' || found.bytes === undefined) return
  const isOurs = findRecord(known, found)?.sha256After === sha256(found.bytes)
  if (isOurs || found.bytes.equals(Buffer.from(desired.text))) return
  throw new HostRefusal(`${desired.path} is left alone: it is not as agentd wrote it; move it away first.`)
}

function recordOf(
  desired: DesiredFile,
  {
    file,
    after,
    merged,
    known,
  }: { file: EditedFile; after: Buffer; merged: Merged; known: FileRecord | undefined },
): FileRecord {
  const { format, hookName, made, inserted } = known ?? ownPart(desired)
  const original = originalOf(file, known, { format, hookName, made, inserted })
  return {
    path: desired.path,
    target: file.target,
    format,
    hookName,
    original: original?.toString('base64') ?? null,
    sha256Before: original === undefined ? null : sha256(original),
    sha256After: sha256(after),
    made: joinPlaces(made, merged.made),
    inserted: merged.inserted ?? inserted,
  }
}

/**
 * The file without us. As we left it: what it was before us. Changed since: what is there now, less our
 * entries, since nobody wants their own changes undone with ours.
 */
function originalOf(
  { bytes, path }: EditedFile,
  known: FileRecord | undefined,
  own: Parameters<typeof stripText>[1],
): Buffer | undefined {
  if (bytes === undefined) return undefined
  if (known !== undefined && known.sha256After === sha256(bytes)) {
    return known.original === null ? undefined : Buffer.from(known.original, 'base64')
  }
  const text = readFileText(bytes, path)
  const stripped = stripText(text, own, path)
  if (known?.original === null && stripped.trim() === '') return undefined
  return stripped === text ? bytes : Buffer.from(stripped)
}

function joinPlaces(earlier: readonly MadePlace[], later: readonly MadePlace[]): readonly MadePlace[] {
  const isKnown = ({ path }: MadePlace): boolean =>
    earlier.some((place) => JSON.stringify(place.path) === JSON.stringify(path))
  return [...earlier, ...later.filter((place) => !isKnown(place))]
}

function remembered({
  runtime,
  known,
  records,
  forget,
}: {
  readonly runtime: string
  readonly known: Manifest | undefined
  readonly records: readonly FileRecord[]
  readonly forget: Manifest['forget']
}): Manifest {
  const targets = new Set(records.map(({ target }) => target))
  const others = (known?.files ?? []).filter(({ target }) => !targets.has(target))
  const made = records.flatMap(({ target }) => missingDirectories(dirname(target)))
  const directories = [...new Set([...(known?.directories ?? []), ...made])]
  return { version: 1, runtime, files: [...others, ...records], directories, forget }
}

function findRecord(known: Manifest | undefined, { target }: EditedFile): FileRecord | undefined {
  return known?.files.find((record) => record.target === target)
}

function planServer(server: VendorServer | undefined): Pick<Step, 'commands' | 'notes'> {
  if (server === undefined || server.state === 'same') return { commands: [], notes: [] }
  const { state, name, program, directory, add, remove } = server
  if (state === 'foreign') {
    const note = `${name} has a server "agentd" that is not ours; it was left alone.`
    return { commands: [], notes: [note] }
  }
  if (program === undefined) {
    const words = [name, ...add].map(shellWord).join(' ')
    return { commands: [], notes: [`${name} is not on PATH; for its tools, run: ${words}`] }
  }
  const old: readonly Command[] = state === 'old' ? [{ program, args: remove, directory, mayFail: true }] : []
  return { commands: [...old, { program, args: add, directory, mayFail: false }], notes: [] }
}

function forgetServer(server: VendorServer | undefined, known: Manifest | undefined): Manifest['forget'] {
  if (server?.program === undefined) return null
  const { program, remove: args, directory, list } = server
  // A list that is there because of an earlier set-up was not there before us.
  const earlier = known?.forget ?? undefined
  const keepsList = earlier === undefined ? list?.isThere : earlier.keepsList
  return {
    program,
    args,
    ...(directory !== undefined && { directory }),
    ...(keepsList === true && { keepsList }),
  }
}
