/**
 * What the lines of hooks say of `curl`, the socket and the key, beside what is there.
 *
 * @see docs/runtimes.md §10 rules 10, 12; OP-02, OP-04, OP-12
 */
import { keyHeaderFault } from '../../../host/config/key-header.ts'
import { socketFault } from '../../../host/socket/own-socket.ts'
import type { SocketCall } from '../../setup/files/curl-line.ts'
import { isProgram } from '../../setup/paths.ts'
import type { DoctorFinding, Notes } from '../finding.ts'
import type { HookFile } from '../hook-file.ts'
import type { Surroundings } from '../target.ts'

/** What is looked at. */
interface LineFacts {
  readonly file: HookFile
  readonly surroundings: Surroundings
  /** Where the daemon of this environment listens; undefined where no place for it can be had. */
  readonly place: string | undefined
  /** The command that writes the lines anew. */
  readonly fix: string
}

/** Every fault of the ways in which a file's lines reach the daemon, and what it costs where they start Node instead. */
export function callFindings(notes: Notes, facts: LineFacts): readonly DoctorFinding[] {
  const { file, surroundings } = facts
  if (file.calls.length > 0) return file.calls.flatMap((call) => callFaults(notes, call, facts))
  if (!file.hasOwn || surroundings.launch.call !== undefined) return []
  const sentence = `Each hook in ${file.path} starts Node, three to four times the time and CPU of a line by curl: none on PATH is of 7.55 or newer and speaks to Unix sockets.`
  return [notes.off('hooks-curl', sentence, `install curl, then ${facts.fix}`)]
}

function callFaults(
  notes: Notes,
  { curl, socket, keyHeader }: SocketCall,
  { file: { path }, surroundings: { environment }, place, fix }: LineFacts,
): readonly DoctorFinding[] {
  const fail = (name: string, sentence: string): DoctorFinding => notes.fail(name, sentence, fix)
  const foreign = socketFault(socket)
  const isElsewhere = place !== undefined && place !== socket
  const key = keyHeader === undefined ? undefined : keyHeaderFault(environment)
  return [
    ...(isProgram(curl)
      ? []
      : [fail('hooks-curl', `The hooks in ${path} say nothing: ${curl} is gone, or must not be run.`)]),
    ...(foreign === undefined
      ? []
      : [
          fail('hooks-socket', `The hooks in ${path} speak to ${socket}, whoever answers there: ${foreign}.`),
        ]),
    ...(isElsewhere
      ? [fail('hooks-socket', `The hooks in ${path} speak to ${socket}, and the daemon listens at ${place}.`)]
      : []),
    ...(key === undefined
      ? []
      : [fail('hooks-key', `The hooks in ${path} show no key from ${keyHeader ?? ''}: ${key}.`)]),
  ]
}
