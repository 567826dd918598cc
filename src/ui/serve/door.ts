/**
 * The way in for who can already do everything: a socket in the daemon's own folder, over which `agentd ui` asks the process
 * that runs for another link, or for its end.
 *
 * @see SEAT-15, SEAT-18; docs/ui.md "What the listener allows"
 */
import { createServer, type Server, type ServerResponse } from 'node:http'
import { jsonAnswer, refusedAnswer, writeSeatAnswer } from './entry/answer.ts'
import { refusal } from './entry/refusal.ts'

/** What is asked for at the door. */
export const DOOR_ROUTES = { link: '/link', open: '/open', stop: '/stop' } as const

/** How long a request may take, in milliseconds. */
const REQUEST_MS = 2_000

/** A link as it is told. */
export interface LinkTold {
  readonly url: string
  readonly pid: number
  readonly port: number
  readonly peer_check: 'kernel' | 'unavailable'
  /** A file with the same key, to open a browser on: it shows the key to nobody. Absent where it could not be written. */
  readonly open_file?: string
}

/** What the door leads to. */
export interface DoorParts {
  /** Makes a link. */
  readonly link: () => LinkTold
  /** The same, with a file to open. */
  readonly open: () => LinkTold
  /** Ends the process, once its answer is on its way. */
  readonly stop: () => void
}

/** The server; the caller binds it, where only this user comes. */
export function createDoor({ link, open, stop }: DoorParts): Server {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS })
  server.on('request', (request, response: ServerResponse) => {
    const isPost = request.method === 'POST'
    if (isPost && request.url === DOOR_ROUTES.link) return writeSeatAnswer(response, jsonAnswer(link()))
    if (isPost && request.url === DOOR_ROUTES.open) return writeSeatAnswer(response, jsonAnswer(open()))
    if (!isPost || request.url !== DOOR_ROUTES.stop)
      return writeSeatAnswer(response, refusedAnswer(refusal('not-found', 'There is nothing at this path.')))
    response.once('finish', stop)
    return writeSeatAnswer(response, jsonAnswer({ pid: process.pid }))
  })
  return server
}
