/**
 * A one-shot command as data: the verb it calls, its arguments and its options.
 *
 * @see docs/http.md §§8, 11
 */
import type { Group } from '../help/groups.ts'

/**
 * How a value is read.
 *
 * `content` is the argument itself, or for `-` what stands on stdin; `json` is that, parsed; `file` names a
 * file with the content; `need` is an id of what needs the person, or a beginning of one; `lease` an id of a lease, a beginning of
 * one, or what it is on; `kind` one of the choices, also as lines show it; `places` are texts of which a path of a file that is there is named in full;
 * `off` takes no value, and what it fills is false.
 */
type ValueForm =
  | 'text'
  | 'texts'
  | 'places'
  | 'choice'
  | 'kind'
  | 'duration'
  | 'content'
  | 'json'
  | 'file'
  | 'need'
  | 'lease'
  | 'off'

/** One option of a one-shot command. */
export interface VerbFlag {
  /** Without its dashes. */
  readonly name: string
  /** What stands for the value in help; absent for one that takes none, which only the full command line serves. */
  readonly value?: string
  readonly form: ValueForm
  /** The verb's argument it fills; absent when it steers the command line itself. */
  readonly member?: string
  readonly choices?: readonly string[]
  readonly required?: true
  /** Of a file: what fits into no frame is kept beside one (HO-07). */
  readonly keeps?: true
  /** Of places: where no session says where it works, and none of them lies there, the work tree that the command is given in too. */
  readonly orHere?: true
  readonly says: string
}

/** One argument of a one-shot command, in its place. */
export interface VerbArgument {
  readonly name: string
  readonly form: ValueForm
  readonly member: string
  /** May be left out when `--file` is given. */
  readonly optional?: true
  readonly says: string
}

/** One command. */
export interface VerbCommand {
  /** Under which heading help shows it. */
  readonly group: Group
  /** The verb of docs/http.md §8 it calls. */
  readonly verb: string
  readonly says: string
  readonly example: string
  readonly args: readonly VerbArgument[]
  readonly flags: readonly VerbFlag[]
  /** Options that only the full command line serves, by name. */
  readonly slow?: readonly string[]
  /** What the full command line tells beside the answer, of leases; with `--quiet` nobody wants it, and the short way will do. */
  readonly tells?: true
}
