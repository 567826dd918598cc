/**
 * Hooks that speak over the socket by `curl`, which does not look whose socket it is: so the doctor does (HD-20).
 *
 * @see docs/http.md "With curl"
 */
import { socketFault } from '../../../host/socket/own-socket.ts'
import type { DoctorFinding, Notes } from '../finding.ts'
import type { HookEntry, HookFile } from '../hook-file.ts'

/** The path behind the option, quoted or not. */
const UNIX_SOCKET = /--(?:abstract-)?unix-socket[ =]+(?:"([^"]*)"|'([^']*)'|([^\s"';|&]+))/g

/** The variable that the pages' lines name, in either spelling. */
const VARIABLE = /^\$(?:AGENTD_SOCKET|\{AGENTD_SOCKET\})$/

/** @param place - where the variable leads to; undefined where no place for it can be had */
export function curlFindings(
  notes: Notes,
  files: readonly HookFile[],
  place: string | undefined,
): readonly DoctorFinding[] {
  return files.flatMap(({ path, entries }) => {
    const sockets = new Set(entries.flatMap((entry) => socketsIn(entry, place)))
    return [...sockets].flatMap((socket) => {
      const fault = socketFault(socket)
      if (fault === undefined) return []
      const sentence = `A hook in ${path} sends to ${socket} by curl, whoever answers there: ${fault}.`
      return [
        notes.fail('hooks-curl', sentence, 'write "$(agentd status --quiet)" for the path, or repair it'),
      ]
    })
  })
}

function socketsIn({ handler }: HookEntry, place: string | undefined): readonly string[] {
  return Object.values(handler).flatMap((text) =>
    typeof text === 'string' ? [...text.matchAll(UNIX_SOCKET)].flatMap((found) => pathOf(found, place)) : [],
  )
}

function pathOf(found: RegExpExecArray, place: string | undefined): readonly string[] {
  const named = found[1] ?? found[2] ?? found[3] ?? ''
  if (named.startsWith('/')) return [named]
  return VARIABLE.test(named) && place !== undefined ? [place] : []
}
