/**
 * What set-up has changed for one runtime, written down before it is changed, so that it can be taken back
 * even when the machine goes down in between.
 *
 * One file per runtime in the state directory, for its owner alone: it holds the files as they were.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  MAX_EDITED_BYTES,
  readEditedFile,
  removeEditedFile,
  replaceEditedFile,
} from '../../host/files/edited-file.ts'
import { ensurePrivateDirectory, stateDir, type Environment } from '../../host/config/paths.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import type { MadePlace } from './files/json-draft.ts'
import type { DesiredFile } from './target.ts'

/** One file that was changed. */
export interface FileRecord {
  /** As it was named, and what that led to. */
  readonly path: string
  readonly target: string
  readonly format: DesiredFile['format']
  /** Whose hooks they are, in a JSON file. */
  readonly hookName: string
  /** The bytes before us, base64; null when it was not there. */
  readonly original: string | null
  /** SHA-256 in hex; null like `original`. */
  readonly sha256Before: string | null
  readonly sha256After: string
  /** What was made for our entries in a JSON file. */
  readonly made: readonly MadePlace[]
  /** What was put in as it stands here, in the other formats. */
  readonly inserted: string | null
}

/** Everything that was changed for one runtime. */
export interface Manifest {
  readonly version: 1
  readonly runtime: string
  readonly files: readonly FileRecord[]
  /** Directories that were made, outermost first. */
  readonly directories: readonly string[]
  /**
   * How the runtime's own program forgets our server, and in which folder, where it keeps one for each project; null
   * when it was not asked to know it.
   */
  readonly forget: {
    readonly program: string
    readonly args: readonly string[]
    readonly directory?: string
    /** There was a list of servers before ours came into it, so an empty one stays. */
    readonly keepsList?: true
  } | null
}

/** A manifest and its name, without `.json`. */
export interface NamedManifest {
  readonly name: string
  readonly manifest: Manifest
}

/** The originals in base64, and as many files as one runtime has. */
const MAX_MANIFEST_BYTES = 8 * MAX_EDITED_BYTES

/** Where they are. Nothing is created. */
function manifestFolder(environment: Environment): string {
  return join(stateDir(environment), 'setup')
}

/** The folder, made if need be. @throws HostRefusal when it is not private */
export function requireManifestFolder(environment: Environment): string {
  const folder = manifestFolder(environment)
  ensurePrivateDirectory(folder, environment)
  return folder
}

/** `place` tells two manifests of one runtime apart. */
export function manifestName(runtime: string, place: string | undefined): string {
  return place === undefined ? runtime : `${runtime}-${sha256(Buffer.from(place)).slice(0, 16)}`
}

/** The names of all of them, in order; none where nothing was ever set up. */
export function manifestNames(environment: Environment): readonly string[] {
  const folder = manifestFolder(environment)
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((name) => /^[a-z][a-z0-9-]*\.json$/.test(name))
  return files.toSorted().map((file) => file.slice(0, -'.json'.length))
}

/** All of them, by name. @throws HostRefusal for one that cannot be understood */
export function readManifests(environment: Environment): readonly NamedManifest[] {
  return manifestNames(environment).flatMap((name) => {
    const manifest = readManifest(environment, name)
    return manifest === undefined ? [] : [{ name, manifest }]
  })
}

/** @returns undefined when there is none */
export function readManifest(environment: Environment, name: string): Manifest | undefined {
  const path = manifestPath(environment, name)
  const { bytes } = readEditedFile(path, environment.uid, MAX_MANIFEST_BYTES)
  if (bytes === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new HostRefusal(`${path} is damaged, so what was set up is not known.`, { cause: error })
  }
  if (isManifest(value)) return value
  throw new HostRefusal(`${path} is of another version of agentd, so what was set up is not known.`)
}

/** Written whole before anything it speaks of is changed. */
export function writeManifest(environment: Environment, { name, manifest }: NamedManifest): void {
  requireManifestFolder(environment)
  const file = readEditedFile(manifestPath(environment, name), environment.uid, MAX_MANIFEST_BYTES)
  replaceEditedFile({ ...file, mode: 0o600 }, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`))
}

export function removeManifest(environment: Environment, name: string): void {
  removeEditedFile(readEditedFile(manifestPath(environment, name), environment.uid, MAX_MANIFEST_BYTES))
}

/** In hex. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function manifestPath(environment: Environment, name: string): string {
  return join(manifestFolder(environment), `${name}.json`)
}

/** It is ours and private, so only its version and outline are looked at. */
function isManifest(value: unknown): value is Manifest {
  return (
    value instanceof Object &&
    Reflect.get(value, 'version') === 1 &&
    typeof Reflect.get(value, 'runtime') === 'string' &&
    Array.isArray(Reflect.get(value, 'files')) &&
    Array.isArray(Reflect.get(value, 'directories'))
  )
}
