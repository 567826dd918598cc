/**
 * The tools while there is no daemon: a server in this process that can shake hands and list them, so that a session that
 * begins without a daemon has its tools when one comes. Calls are not among what it is sent.
 */
import { PassThrough } from 'node:stream'
import { systemClock } from '../../core/clock.ts'
import { MAX_MCP_MESSAGE_OCTETS } from '../../core/limits.ts'
import { LineSplitter } from '../../core/text/lines.ts'
import type { serveMcp } from '../../mcp/serve.ts'
import { NoLink, type Link, type LinkEvents } from './link.ts'

/** What serves, and how it is loaded; a host whose daemon is there never pays for it. */
export interface OfflineServer {
  readonly load: () => Promise<{ readonly serveMcp: typeof serveMcp }>
  /** Of this agentd. */
  readonly version: () => string
  /** Which tools; absent, agentd's own. */
  readonly verbs?: 'memo' | undefined
}

/** Ends of streams within this process. */
const LINE_FEED = Buffer.from('\n')

/** Loads a server, and makes a link to it. */
export async function openOfflineLink(server: OfflineServer, events: LinkEvents): Promise<Link> {
  const serving = await server.load()
  const [input, output] = [new PassThrough(), new PassThrough()]
  const lines = new LineSplitter(MAX_MCP_MESSAGE_OCTETS, 'cut')
  output.on('data', (chunk: Buffer) => {
    events.onHeard()
    for (const { line } of lines.feed(chunk)) events.onLine(line)
  })
  const ended = serving.serveMcp({
    input,
    output,
    version: server.version(),
    verbs: server.verbs,
    clock: systemClock,
    hosts: [],
    place: {},
    findHooked: () => undefined,
    carriesOn: () => false,
    reach: () => Promise.reject(new NoLink('absent', 'There is no daemon.')),
    // Why there is none was said by who looked for it.
    onTrouble: () => {},
  })
  const end = (): Promise<void> => {
    input.end()
    return ended
  }
  return {
    write: (line) => input.write(Buffer.concat([line, LINE_FEED])),
    drained: () => Promise.resolve(),
    pause: () => void output.pause(),
    resume: () => void output.resume(),
    end,
    drop: () => void end(),
  }
}
