/**
 * What a repository is called on every machine that has it: by where it comes from, read from git's configuration.
 *
 * Nothing is spawned and nothing is followed: no `include`, no `insteadOf`. What cannot be read has no name.
 *
 * @see git-config(1); FED-68
 */
import { join } from 'node:path'
import { peekFile } from './peek.ts'

/** Octets of a configuration that are looked at; `origin` stands at its beginning, behind `core`. */
export const MAX_CONFIG_OCTETS = 64 * 1024

/** Characters of a name; a longer one is none. */
export const MAX_REPOSITORY_ID_CHARS = 512

/** `[remote "origin"]`: the first word in any case, the name as it is. */
const ORIGIN = /^\[\s*remote\s+"origin"\s*\]/i
const SECTION = /^\[/
const URL_LINE = /^url\s*=\s*(.*)$/i

/** `ssh://git@example.org:22/alice/api.git`; a port and credentials say nothing of which repository it is. */
const WITH_SCHEME = /^(?:https?|ssh|git|git\+ssh):\/\/(?:[^@/]*@)?([^/:]+)(?::\d*)?\/(.+)$/i
/** `git@example.org:alice/api.git`, as of scp. */
const AS_OF_SCP = /^(?:[^@/:]+@)?([^/:@]{2,}):(?!\/\/)(.+)$/

/** @param commonDir - the git common directory. @returns `git:example.org/alice/api`; undefined for a repository that comes from nowhere */
export async function findRepositoryId(commonDir: string): Promise<string | undefined> {
  const peeked = await peekFile(join(commonDir, 'config'), { most: MAX_CONFIG_OCTETS })
  const url = peeked.kind === 'text' ? originOf(peeked.text) : undefined
  return url === undefined ? undefined : repositoryIdOf(url)
}

/** As {@link findRepositoryId}, of what `origin` is. A path of this machine is the name of nothing elsewhere. */
export function repositoryIdOf(url: string): string | undefined {
  const [, host, path] = WITH_SCHEME.exec(url) ?? AS_OF_SCP.exec(url) ?? []
  if (host === undefined || path === undefined) return undefined
  const plain = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/i, '')
  const id = `git:${host}/${plain}`.toLowerCase()
  // Whatever somebody wrote there is going to stand on rosters of other machines.
  return plain !== '' && id.length <= MAX_REPOSITORY_ID_CHARS && /^[\x21-\x7e]+$/.test(id) ? id : undefined
}

function originOf(config: string): string | undefined {
  let isOrigin = false
  for (const line of config.split('\n').map((one) => one.trim())) {
    if (SECTION.test(line)) isOrigin = ORIGIN.test(line)
    const said = isOrigin ? URL_LINE.exec(line)?.[1] : undefined
    if (said !== undefined) return said.replace(/\s+[#;].*$/, '').replaceAll('"', '')
  }
  return undefined
}
