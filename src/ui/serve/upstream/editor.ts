/**
 * Where a file that an agent names stands, as a link an editor understands. Nothing is opened and nothing is started.
 *
 * An agent's words are not trusted with a path: what is told is a regular file in the worktree that the agent's session has
 * registered, by its real name, and nothing else has an address at all.
 *
 * @see SEAT-29
 */
import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { AgentdError } from '../../../core/errors.ts'
import { systemErrorCode } from '../../../core/thrown.ts'
import type { Connection } from '../../../client/http/connection.ts'
import { AgentdUnreachable } from '../../../client/index.ts'
import { RosterEntry } from '../../../protocol/http/session-replies.ts'
import { jsonAnswer, type SeatAnswer } from '../entry/answer.ts'
import { daemonGone, refusal, type SeatRefusal } from '../entry/refusal.ts'

/** Editors that open a file by an address; `none` is no such link. */
export type EditorName = 'none' | 'vscode' | 'cursor'

const ADDRESS = /^(?<handle>~[^/]+)\/(?<session>[^/]+)$/
const LINE = /^\d{1,7}$/

/** The longest path that a system takes. */
const MAX_PATH_CHARS = 4_096

type Answer = (SeatAnswer & { readonly kind?: undefined }) | SeatRefusal

export class Editor {
  readonly #name: EditorName
  readonly #connection: Connection

  /** @param connection - speaks for the person */
  constructor(name: EditorName, connection: Connection) {
    this.#name = name
    this.#connection = connection
  }

  /** Whether there is one. */
  get isSet(): boolean {
    return this.#name !== 'none'
  }

  /** @param query - `address` of the session, `file` as it named it, and perhaps a `line` */
  async find(query: Readonly<Record<string, string>>): Promise<Answer> {
    const { address = '', file = '', line } = query
    if (!this.isSet) return refusal('not-found', 'No editor is set; see "ui.editor" in the configuration.')
    if (line !== undefined && !LINE.test(line)) return refusal('field-invalid', '"line" is a number.')
    const worktree = await this.#worktreeOf(address)
    if (typeof worktree === 'object') return worktree
    const path = worktree === undefined ? undefined : await findInside(worktree, file)
    if (path === undefined)
      return refusal('not-found', 'There is no such file in the worktree of that session.')
    const place = path.split(sep).map(encodeURIComponent).join('/')
    return jsonAnswer({ href: `${this.#name}://file${place}${line === undefined ? '' : `:${line}`}` })
  }

  /** @returns undefined for a session that is not there, or has told no worktree */
  async #worktreeOf(address: string): Promise<string | undefined | SeatRefusal> {
    const { handle, session } = ADDRESS.exec(address)?.groups ?? {}
    if (handle === undefined || session === undefined) return undefined
    try {
      const call = { route: 'getSession', path: { handle, session } } as const
      const { worktree } = await this.#connection.call(call, RosterEntry)
      return worktree ?? undefined
    } catch (error) {
      if (error instanceof AgentdError) return undefined
      if (error instanceof AgentdUnreachable) return daemonGone()
      throw error
    }
  }
}

/** The real path of a regular file in a folder; undefined for anything else, however it is written. */
async function findInside(folder: string, file: string): Promise<string | undefined> {
  if (file === '' || file.length > MAX_PATH_CHARS || file.includes('\0')) return undefined
  if (!isAbsolute(folder) || file.split(/[/\\]/).includes('..')) return undefined
  try {
    const root = await realpath(folder)
    const path = await realpath(resolve(folder, file))
    const way = relative(root, path)
    if (way === '' || way.split(sep)[0] === '..' || isAbsolute(way)) return undefined
    return (await stat(path)).isFile() ? path : undefined
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}
