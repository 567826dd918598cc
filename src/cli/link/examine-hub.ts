/**
 * What the doctor looks at of a hub of this user's own, where this machine has one: whether it runs, minded, and has room.
 *
 * @see FED-12
 */
import { hubStore } from '../../host/links/hub-folder.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { AgentdError } from '../../core/errors.ts'
import type { DoctorFinding, Notes } from '../../runtimes/doctor/finding.ts'
import type { CommandContext } from '../run/command-context.ts'
import { readHubRoom, roomInWords } from './hub/hub-room.ts'
import { findServer } from './hub/hub-server.ts'
import { HubHome } from './hub/kept/hub-home.ts'
import { isLeftAlone } from './hub/one-server.ts'

/** Nothing at all where there is no hub. */
export function examineHub({ environment }: CommandContext, notes: Notes): readonly DoctorFinding[] {
  const home = new HubHome(environment)
  const hub = findHub(home)
  if (hub === undefined) return []
  if (hub instanceof Error) return [notes.fail('hub', `The hub cannot be read: ${hub.message}`)]
  const storePath = hubStore(environment)
  const room = readHubRoom(storePath, hub.realms.length + 1)
  const tight = room && roomInWords(room, storePath)
  return [...running(home, notes), ...(tight === undefined ? [] : [notes.warn('hub-room', tight)])]
}

function running(home: HubHome, notes: Notes): readonly DoctorFinding[] {
  const pid = findServer(home.pidPath)
  if (pid === undefined)
    return [notes.warn('hub', 'The hub of this machine does not run.', 'agentd link hub run')]
  if (isLeftAlone(home))
    return [
      notes.warn(
        'hub',
        `What started the server of the hub (pid ${pid}) was killed, and it goes on alone.`,
        'agentd link hub run takes its place',
      ),
    ]
  return [notes.ok('hub', `The hub of this machine runs, pid ${pid}.`)]
}

function findHub(home: HubHome) {
  try {
    return home.find()
  } catch (error) {
    if (error instanceof HostRefusal || error instanceof AgentdError) return error
    throw error
  }
}
