/**
 * The file that makes this machine a node, read and looked over before anything comes of it.
 *
 * @see FED-14, FED-40, FED-41
 */
import { nodeAt, readEstate } from '../../authority/estate.ts'
import { AgentdError, UsageError } from '../../core/errors.ts'
import { shellWord } from '../../core/text/shell-word.ts'
import { configPath } from '../../host/config/paths.ts'
import { principalFrom } from '../../host/config/principal.ts'
import { readJudgedFile, readOwnFile } from '../../host/files/own-file.ts'
import { readNodeKey } from '../../link/keys/node-key.ts'
import { decodeJoin, type JoinFile } from '../../link/link-file.ts'
import { principalOf } from '../../link/realm.ts'
import { asUsage } from '../run/as-usage.ts'
import type { CommandContext } from '../run/command-context.ts'

/** @throws UsageError for a file that others may read, that is none, or that is another person's */
export function requireJoinFile(path: string, { environment }: CommandContext): JoinFile {
  const mine = readOwnFile(path, environment.uid)
  if (mine.kind === 'absent') throw new UsageError(`There is no file ${path}.`)
  if (mine.kind === 'refused') throw new UsageError(`The file ${path} is refused: ${mine.reason}.`)
  const judged = readJudgedFile(path, ({ mode }) => ((mode & 0o077) === 0 ? undefined : 'open to others'))
  if (judged.kind !== 'text')
    throw new UsageError(
      `Others may read ${path}, and whoever has it can be this machine. If nobody did: chmod 600 ${shellWord(path)}; ` +
        'otherwise revoke it where the hub is, and invite this machine anew.',
    )
  const join = asUsage(() => decodeJoin(judged.text))
  requireOwn(join, principalFrom(environment), configPath(environment))
  requireSigned(join)
  return join
}

/** Two machines of one person may have another name for them each; the realm is one person's. */
function requireOwn({ realm }: JoinFile, principal: string, config: string): void {
  const whose = principalOf(realm)
  if (whose === principal) return
  throw new UsageError(
    `The file is for a machine of ${whose}, and here you are ${principal}. ` +
      `If both are you, write "principal": "${whose}" into ${config}, restart agentd, and repeat this.`,
  )
}

/** The estate in the file is signed by the key in the file, and names this machine with its key. */
function requireSigned({ estate, estate_key: pinned, node, node_key: seed }: JoinFile): void {
  const nowMs = Date.now()
  const document = asUsage(() => readEstate(estate, pinned, nowMs))
  const named = nodeAt(document, node, nowMs)
  if (named instanceof AgentdError) throw new UsageError(named.message, { cause: named })
  if (named !== readNodeKey(seed).publicX)
    throw new UsageError(`The file has another key than the one that the estate names for "${node}".`)
}
