/**
 * An accord that is another now than it was: handed to everybody whom a hub of this user lets in under it, and whoever it grants
 * nothing any more is let in no more.
 *
 * @see FED-43, FED-57
 */
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { HubHome } from '../hub/kept/hub-home.ts'
import { tellServer } from '../hub/tell-server.ts'

/** A command of accords, and what follows from it at a hub here. */
export function thenTellHub(work: (context: CommandContext) => Promise<ExitCode>) {
  return async (context: CommandContext): Promise<ExitCode> => {
    const code = await work(context)
    const { environment, output } = context
    const home = new HubHome(environment)
    if (code !== EXIT.done || home.find()?.realms.some(({ realm }) => realm.startsWith('a.')) !== true)
      return code
    // What the server lets in follows from the documents of the moment.
    await home.alone(async () => home.put(home.require()))
    const told = await tellServer(home, new AuthorityFolder(environment))
    output.note(told.sentence)
    return told.state === 'unreached' ? EXIT.unreachable : code
  }
}
