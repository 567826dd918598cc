/**
 * Whether `dist` is what the sources say: the build leaves their digest beside what it made, and the tests compare.
 *
 * Times would not do: a checkout gives every file a new one, and a copy may give it an old one.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folders that a build is made from. */
const FOLDERS = ['src', 'conformance']

/** What a build is made from, beside the files below those. */
const INPUTS = [
  'build.mjs',
  'bundle.mjs',
  'bundle-client.mjs',
  'roll-up.mjs',
  'short-names.mjs',
  'build-stamp.mjs',
  'package.json',
  'tsconfig.json',
]

const STAMP = '.sources'

/** @returns {string[]} the path of every file below a folder */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

/** @returns a digest of every file a build is made from, names included */
function digestOfSources(root) {
  const files = FOLDERS.flatMap((folder) => filesBelow(join(root, folder)))
  const hash = createHash('sha256')
  for (const path of [...INPUTS.map((name) => join(root, name)), ...files.toSorted()]) {
    hash
      .update(`${path.slice(root.length)}\0`)
      .update(readFileSync(path))
      .update('\0')
  }
  return hash.digest('hex')
}

/** Says of the build that has just been made what it was made from. @param folder - where it was made */
export function writeStamp(root, folder = 'dist') {
  writeFileSync(join(root, folder, STAMP), `${digestOfSources(root)}\n`)
}

/** @returns a sentence about what is the matter with `dist`; undefined when it is what the sources say */
export function findStaleBuild(root) {
  const path = join(root, 'dist', STAMP)
  if (!existsSync(path))
    return 'There is no build to test, or one that did not end well; run "npm run build".'
  if (readFileSync(path, 'utf8').trim() === digestOfSources(root)) return undefined
  return 'The sources have changed since dist was built, and the tests would test the old build; run "npm run build".'
}

const self = fileURLToPath(import.meta.url)
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === self)
  writeStamp(dirname(self), process.argv[2])
