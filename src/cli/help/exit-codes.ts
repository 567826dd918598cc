/**
 * What each exit code means to whoever reads it: for help, the manual and docs/errors.md.
 */
import { wrapTo } from '../../core/display/width.ts'
import { EXIT } from '../run/exit.ts'

/** Of a terminal as narrow as they usually are. */
const COLUMNS = 80

/** One code: in a word, and what it can stand for. */
interface ExitMeaning {
  readonly code: number
  readonly brief: string
  readonly means: string
}

/** Every code a command of ours ends with; one that runs another program ends with that program's. */
export const EXIT_MEANINGS: readonly ExitMeaning[] = [
  { code: EXIT.done, brief: 'done', means: 'done' },
  {
    code: EXIT.refused,
    brief: 'refused by the daemon',
    means: 'refused by the daemon, its code on stderr; or something failed (`doctor`)',
  },
  { code: EXIT.usage, brief: 'wrong usage', means: 'wrong usage' },
  {
    code: EXIT.nobody,
    brief: 'nobody listening or nothing there',
    means:
      'nobody was listening (`ask`, `send --wait`); something needs you (`needs`); nothing is handed over (`takeover`)',
  },
  { code: EXIT.deadline, brief: 'deadline passed', means: 'the deadline passed' },
  {
    code: EXIT.dismissed,
    brief: 'dismissed, or held by another',
    means: 'the question was dismissed: no answer comes (`ask`); somebody else has it (`takeover`)',
  },
  { code: EXIT.unreachable, brief: 'daemon not reachable', means: 'the daemon cannot be reached' },
  { code: EXIT.defect, brief: 'a defect', means: 'a defect in agentd' },
  {
    code: EXIT.lost,
    brief: 'try again',
    means:
      'the daemon lost its socket or its lock; starting it again helps (`serve`). A daemon, another process or a full disk is in the way; try again (`store adopt`). agentd is being built or updated; try again in a moment',
  },
  {
    code: EXIT.unsafe,
    brief: 'a place that is not safe',
    means: 'a directory, file or name must not be used as it is',
  },
  { code: EXIT.interrupted, brief: 'ended by Ctrl-C', means: 'ended by Ctrl-C before it was done' },
]

/** All of them in a sentence, on lines of at most 80 columns. */
export function formatExitCodes(): string {
  const codes = EXIT_MEANINGS.map(({ code, brief }) => `${code} ${brief}`).join(', ')
  return wrapTo(`Exit codes: ${codes}.`, COLUMNS).join('\n')
}
