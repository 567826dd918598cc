/**
 * The process behind the page, put together: the listener, the door, the person's session, and when all of it ends.
 *
 * @see docs/ui.md "What the listener allows"; SEAT-01, SEAT-13, SEAT-18
 */
import type { Server } from 'node:http'
import type { Logger } from '../../core/log.ts'
import { messageOf } from '../../core/thrown.ts'
import { AgentdClient } from '../../client/client.ts'
import { Connection, type ClientParts } from '../../client/http/connection.ts'
import { Desktop, type DesktopParts, type NotifyWay } from './alerts/desktop.ts'
import { Lookout } from './alerts/lookout.ts'
import { createDoor, type LinkTold } from './door.ts'
import { openingFile } from './entry/opening.ts'
import { ServedFiles, type PageFiles } from './files.ts'
import { Idle } from './idle.ts'
import { Links } from './keys/links.ts'
import { Seats } from './keys/seats.ts'
import { SEAT_HOST, startListener, type IsAllowedPeer, type SeatListener } from './listener.ts'
import { OpenPages } from './open-pages.ts'
import { OwnRoutes, type SeatFacts } from './own-routes.ts'
import { Editor, type EditorName } from './upstream/editor.ts'
import { Pages, type PageCount } from './upstream/pages.ts'
import { Presence } from './upstream/presence.ts'
import { Signing, type FindKey } from './upstream/signing.ts'
import { ThreadReader } from './upstream/thread-reader.ts'
import { Upstream } from './upstream/upstream.ts'

/** What the process is made from. */
export interface SeatParts {
  /** The daemon's socket, and whose daemon it is. */
  readonly socketPath: string
  readonly principal: string
  readonly clientParts: ClientParts
  /** Undefined where the kernel does not say who connects. */
  readonly isOwnPeer: IsAllowedPeer | undefined
  /** The person's keys. */
  readonly findKey: FindKey
  /** Reads the page, at the start and after an update of agentd. */
  readonly readFiles: () => PageFiles
  readonly log: Logger
  readonly idleMs: number
  readonly editor: EditorName
  readonly notify: NotifyWay
  readonly singleKeys: boolean
  /** Where notifications of the system are shown. */
  readonly desktop: Pick<DesktopParts, 'platform' | 'env'>
  /** Puts the door where only this user comes. */
  readonly bindDoor: (server: Server) => Promise<{ close(): Promise<void> }>
  /** A folder that is private to this user. */
  readonly folder: string
}

/** A process that serves. */
export interface SeatProcess {
  /** A new link, good for one sign-in within two minutes. */
  link(): LinkTold
  /** The same, with a file to open a browser on. */
  open(): LinkTold
  /** Aborts when it is to end: it is idle, or was asked to at its door. The reason is a word. */
  readonly ending: AbortSignal
  /** Ends the session, gives the port and the door back. */
  stop(): Promise<void>
}

/** Starts it. @throws what binding the door does */
export async function startSeat(parts: SeatParts): Promise<SeatProcess> {
  const ending = new AbortController()
  const made = make(parts, () => ending.abort('idle'))
  const listener = await startListener({ ...parts, ...made, isAllowedPeer: parts.isOwnPeer ?? (() => true) })
  const link = (): LinkTold => tellLink(parts, listener, made.links.make())
  const open = (): LinkTold => tellOpening(parts, made, listener)
  const server = createDoor({ link, open, stop: () => ending.abort('asked to') })
  const door = await parts.bindDoor(server).catch(async (error: unknown) => {
    await listener.close()
    throw error
  })
  return {
    link,
    open,
    ending: ending.signal,
    async stop() {
      made.idle.stop()
      made.openPages.clear()
      const closed = [door.close(), listener.close()]
      server.closeAllConnections()
      await Promise.all([...closed, made.presence.close()])
      // The last page has gone with the listener, which is when a lookout begins.
      made.lookout.stop()
      made.desktop.close()
      made.connection.close()
    },
  }
}

function make(parts: SeatParts, onIdle: () => void) {
  const { clientParts, log, principal } = parts
  const { clock } = clientParts
  const connection = new Connection(parts.socketPath, clientParts)
  const client = new AgentdClient(connection, principal)
  const presence = new Presence({ client, connection, log, pid: process.pid })
  const files = new ServedFiles(parts.readFiles, log)
  const desktop = new Desktop({ ...parts.desktop, clock, log })
  const lookout = new Lookout({ connection, desktop, clock, log })
  const pages = new Pages((count) => (isForSystem(parts.notify, count) ? lookout.begin() : lookout.end()))
  const seats = new Seats(clock, (seat) => pages.endOf(seat))
  const links = new Links(clock)
  const editor = new Editor(parts.editor, connection)
  const facts = factsOf(parts, editor)
  const signing = new Signing(parts.findKey, principal)
  const threads = new ThreadReader(connection, log)
  const own = new OwnRoutes({ facts, clock, links, seats, pages, editor, signing, threads, log })
  const upstream = new Upstream({ connection, principal, presence, pages, files, signing, log })
  const idle = new Idle(clock, parts.idleMs, onIdle)
  return {
    connection,
    desktop,
    lookout,
    presence,
    seats,
    links,
    own,
    files,
    upstream,
    idle,
    openPages: new OpenPages(parts.folder, clock),
  }
}

/** Whether the system is to tell the person what comes now. */
function isForSystem(notify: NotifyWay, { connected, visible }: PageCount): boolean {
  // A page that tells nothing itself counts as long as it is seen (SEAT-43).
  return (notify === 'auto' && connected === 0) || (notify === 'system' && visible === 0)
}

function factsOf({ principal, notify, singleKeys, isOwnPeer }: SeatParts, editor: Editor): SeatFacts {
  return {
    principal,
    peer_check: isOwnPeer === undefined ? 'unavailable' : 'kernel',
    editor: editor.isSet,
    notify,
    single_keys: singleKeys,
  }
}

/** The key stands behind `#`: no browser sends that to anybody. */
function tellLink({ isOwnPeer }: SeatParts, { port }: SeatListener, key: string): LinkTold {
  const url = `http://${SEAT_HOST}:${port}/#key=${key}`
  return { url, pid: process.pid, port, peer_check: isOwnPeer === undefined ? 'unavailable' : 'kernel' }
}

function tellOpening(parts: SeatParts, made: ReturnType<typeof make>, listener: SeatListener): LinkTold {
  const { links, openPages } = made
  const file = openPages.place()
  const key = links.make(() => openPages.remove(file))
  const told = tellLink(parts, listener, key)
  try {
    openPages.write(file, openingFile(`${SEAT_HOST}:${listener.port}`, key))
  } catch (error) {
    parts.log.warn('open-page-not-written', { why: messageOf(error) })
    return told
  }
  return { ...told, open_file: file }
}
