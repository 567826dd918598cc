/**
 * The floor plan, as `architecture.test.ts` holds it and `docs/architecture.md` shows it: which layer may import which,
 * which wing of a layer may import which other, and why.
 */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const RUNTIMES_FOLDER = join(import.meta.dirname, '..', '..', 'src', 'runtimes')

/** One row of the plan: what may be imported besides itself, and the reason. */
export interface Room {
  readonly may: readonly string[]
  readonly why: string
}

/** Layer → the layers it may import besides itself. Equals never meet. */
export const LAYERS: Readonly<Record<string, Room>> = {
  core: { may: [], why: 'nouns the language forgot; what everybody may stand on stands on nothing' },
  protocol: { may: ['core'], why: 'the memo as data: no I/O, so that client and daemon read it alike' },
  aee: { may: ['core'], why: 'the AEE draft as data, and usable without the memo' },
  host: { may: ['core'], why: 'this machine and this user; it knows no frame' },
  authority: {
    may: ['core', 'protocol', 'aee'],
    why: 'whose handle is whose, and who is in what, as signed data: no I/O, so that daemon and command line judge alike',
  },
  link: {
    may: ['core', 'protocol', 'aee'],
    why: 'what machines say to each other, and what follows from it: no I/O and no package, so that daemon, bridge and command line read it alike',
  },
  broker: {
    may: ['core', 'protocol', 'aee'],
    why: 'who gets what; ports instead of sockets and files',
  },
  client: {
    may: ['core', 'protocol', 'aee', 'host'],
    why: 'the library: installed without the daemon, so it never sees the broker',
  },
  store: { may: ['core', 'protocol', 'broker'], why: "fills the broker's ports from a file" },
  server: { may: ['core', 'protocol', 'aee', 'broker'], why: 'HTTP over any listener; told by the broker' },
  bridge: {
    may: ['core', 'protocol', 'host', 'link', 'client'],
    why: 'the process of a link: a user of the wire, and the one door to NATS',
  },
  gateway: {
    may: ['core', 'protocol', 'aee', 'host', 'authority', 'link', 'broker'],
    why: "the daemon's side of its links: what is let in, what leaves, and the bridges' processes",
  },
  mcp: {
    may: ['core', 'protocol', 'aee', 'client'],
    why: 'tools over one client; no way around the wire, in the words of both drafts',
  },
  ui: {
    may: ['core', 'protocol', 'aee', 'client'],
    why: "the person's seat: a user of the wire like any other; what it needs of this machine is passed in",
  },
  runtimes: {
    may: ['core', 'protocol', 'client', 'host'],
    why: 'what each runtime can do, set-up and doctor over the wire',
  },
  hooks: {
    may: ['core', 'protocol', 'host', 'broker', 'runtimes'],
    why: 'events of runtimes to answers, in the daemon, in the words of the records',
  },
  daemon: {
    may: [
      'core',
      'aee',
      'authority',
      'host',
      'broker',
      'client',
      'mcp',
      'runtimes',
      'store',
      'server',
      'hooks',
      'gateway',
    ],
    why: 'the composition root: the one place where ports meet what fills them; tools and what they stand on, on demand',
  },
  cli: {
    may: ['core', 'protocol', 'aee', 'authority', 'link', 'host', 'client'],
    why: 'commands over the client; `aee`, `authority` and `link` for what needs no daemon: envelopes, keys, evidence, documents, a hub',
  },
}

/** What `cli` loads with `import()` when a command asks for it. It may name their types at any time: those cost nothing. */
export const ON_DEMAND: ReadonlySet<string> = new Set(['daemon', 'mcp', 'runtimes', 'ui'])

/** The file with which the daemon loads these: nobody but it imports them, and it comes in with `import()` alone. */
export const TOOLS_OF_DAEMON = {
  file: 'daemon/serving/tools.ts',
  layers: new Set(['client', 'mcp', 'runtimes']),
} as const

/** Folders of runtimes: those with a record. Another one needs no row here. */
export const RUNTIME_WINGS: readonly string[] = readdirSync(RUNTIMES_FOLDER)
  .filter((name) => existsSync(join(RUNTIMES_FOLDER, name, 'runtime.ts')))
  .map((name) => `runtimes/${name}`)

/** What every one of them may; one that needs less is no reason to have the others do without. */
export const SHARED_BY_RUNTIMES: ReadonlySet<string> = new Set(
  ['doctor', 'events', 'record', 'setup', 'setup/files'].map((name) => `runtimes/${name}`),
)

/** And those that know another one: it reads their files or runs their hooks. */
function rowsOfRuntimes(): Readonly<Record<string, Room>> {
  const others: Readonly<Record<string, readonly string[]>> = {
    'runtimes/cursor': ['runtimes/claude-code'],
    'runtimes/vscode': ['runtimes/claude-code', 'runtimes/copilot'],
  }
  return Object.fromEntries(
    RUNTIME_WINGS.map((wing) => [
      wing,
      {
        may: [...SHARED_BY_RUNTIMES, ...(others[wing] ?? [])],
        why: 'one runtime: its record, its set-up, its switches',
      },
    ]),
  )
}

/**
 * Wing → the wings of the same layer that it may import besides itself. A wing is a folder of a layer, named by its
 * path; the layer's own name stands for the files at its root. A layer that is not here is one wing.
 */
export const WINGS: Readonly<Record<string, Room>> = {
  core: { may: [], why: 'errors, clock, ids, log, and the bounds of the wire' },
  'core/collections': { may: [], why: 'collections that forget and sort' },
  'core/display': { may: [], why: 'how wide text stands on a terminal, and its colours' },
  'core/secrets': { may: [], why: 'what a secret looks like, and a text without it' },
  'core/text': { may: ['core'], why: 'text, JSON, lines and times, refused with the errors of core' },

  protocol: { may: [], why: 'the field types every shape is made of' },
  'protocol/refusal': { may: [], why: 'what an error is on the wire' },
  'protocol/sse': { may: [], why: 'framing is octets; it knows no frame' },
  'protocol/address': { may: ['protocol'], why: 'handles, scopes and event ids are strings with a form' },
  'protocol/frame': {
    may: ['protocol', 'protocol/address', 'protocol/refusal'],
    why: 'a frame has a sender and a scope, and is refused with a field',
  },
  'protocol/plain': {
    may: [],
    why: 'the part of zod that schemas are written with, for the client, the daemon and the command; nobody imports it, the bundler puts it there',
  },
  'protocol/board': {
    may: [],
    why: 'what frames announce, as any recipient may work it out: it reads what was validated, and no broker reads it',
  },
  'protocol/verb': {
    may: ['protocol', 'protocol/address', 'protocol/frame'],
    why: 'a verb is a row of defaults that composes a frame',
  },
  'protocol/http': {
    may: ['protocol', 'protocol/address', 'protocol/frame'],
    why: 'requests and replies carry frames, to and from those who have names',
  },
  'protocol/routes': { may: ['protocol/http'], why: 'a path with what it takes and what it answers' },
  'protocol/published': {
    may: [
      'protocol',
      'protocol/address',
      'protocol/frame',
      'protocol/verb',
      'protocol/http',
      'protocol/routes',
    ],
    why: 'all of the above as JSON Schema, for whoever asks; loaded by nobody else',
  },

  'aee/envelope': { may: [], why: 'the fourteen fields; everything else of the draft is about them' },
  'aee/thread': { may: ['aee/envelope'], why: 'which envelope answers which' },
  'aee/intents': { may: ['aee/envelope'], why: "the payloads of the draft's own intents" },
  'aee/keys': { may: ['aee/envelope'], why: 'what is signed is the canonical envelope' },
  'aee/evidence': { may: ['aee/envelope'], why: 'VOLT and WARD record envelopes' },
  'aee/conformance': {
    may: ['aee/envelope', 'aee/intents', 'aee/thread'],
    why: 'rules over all that an envelope says',
  },
  'aee/schemas': {
    may: ['aee/envelope', 'aee/intents', 'aee/conformance'],
    why: 'payloads against JSON Schemas, those of the reserved intents among them',
  },
  'aee/service': {
    may: ['aee/envelope', 'aee/intents', 'aee/thread', 'aee/conformance', 'aee/schemas'],
    why: 'answers to `aee.*` tasks say what all of the above finds',
  },
  'aee/boundary': { may: ['aee/envelope', 'aee/schemas'], why: 'what may leave, by intent and member' },

  'link/text': { may: [], why: 'texts read by rules for their members; it knows no batch' },
  'link/joining': {
    may: ['link', 'link/keys', 'link/text'],
    why: 'what a machine and an organisation hand each other until one is in the other',
  },
  'link/keys': { may: [], why: 'the key that a machine signs with' },
  'link/sealing': { may: ['link/text'], why: 'what a hub of somebody else is not to read' },
  link: {
    may: ['link/sealing', 'link/text'],
    why: 'records, batches, presence and files, and what is decided from them',
  },

  'host/files': { may: [], why: 'files only we may have written; the rest of the host stands on them' },
  'host/config': { may: ['host/files'], why: 'the configuration is such a file' },
  'host/aee': {
    may: ['host/files', 'host/config'],
    why: 'keys, intents and journals in the configured places',
  },
  'host/authority': {
    may: ['host/files', 'host/config'],
    why: 'handles and documents in a private folder; what one says it does not know',
  },
  'host/links': {
    may: ['host/files', 'host/config'],
    why: 'links and a hub in private folders; what one says it does not know',
  },
  'host/process': { may: ['host/files', 'host/config'], why: 'one daemon per place' },
  'host/socket': { may: ['host/files', 'host/config'], why: 'the socket in its own directory' },
  'host/service': { may: ['host/files', 'host/config'], why: 'units name the configured places' },
  'host/observation': {
    may: ['host', 'host/config', 'host/process'],
    why: "what git's files, locks and processes show of whoever says nothing; it writes nothing",
  },
  host: { may: [], why: 'facts that need nothing: the version, the repository a folder is in' },

  'broker/authority': {
    may: ['broker/quota'],
    why: 'whose handle is whose, who is in what and may reach whom, as a port; a grant has bounds',
  },
  'broker/quota': { may: [], why: 'bounds and buckets; they know no frame' },
  'broker/origins': { may: [], why: 'which node what came from, as a port and in memory; it knows no frame' },
  'broker/ring': { may: ['broker/origins'], why: 'what is retained, as a port' },
  'broker/ring/memory': {
    may: ['broker/origins', 'broker/ring'],
    why: 'what is retained in memory: all of it without a store, the newest of it before one',
  },
  'broker/mail': {
    may: ['broker/ring'],
    why: 'where in the sequence what waits for whom is; it knows no session',
  },
  'broker/stream': {
    may: ['broker/origins', 'broker/quota', 'broker/ring'],
    why: 'a cursor over the ring towards one reader',
  },
  'broker/kinship': {
    may: [],
    why: 'whose process and whose predecessor, as plain values: proofs that know no session',
  },
  'broker/session': {
    may: [
      'broker/authority',
      'broker/kinship',
      'broker/mail',
      'broker/origins',
      'broker/quota',
      'broker/ring',
      'broker/stream',
    ],
    why: 'who is there, with the mailbox and the streams it holds',
  },
  'broker/audience': {
    may: [
      'broker/authority',
      'broker/kinship',
      'broker/mail',
      'broker/quota',
      'broker/ring',
      'broker/session',
      'broker/stream',
    ],
    why: 'a scope against the streams and mailboxes that are there, of who lives and who carries on',
  },
  'broker/remote': {
    may: ['broker/authority', 'broker/origins', 'broker/ring'],
    why: 'what this node knows of the others it is linked with, as a port, and whom something names there',
  },
  'broker/submit': {
    may: [
      'broker/remote',
      'broker/authority',
      'broker/mail',
      'broker/origins',
      'broker/quota',
      'broker/ring',
      'broker/stream',
      'broker/session',
      'broker/audience',
    ],
    why: 'the way of a frame, from its caller to its readers',
  },
  'broker/envelopes': {
    may: [
      'broker/quota',
      'broker/remote',
      'broker/ring',
      'broker/session',
      'broker/audience',
      'broker/submit',
    ],
    why: 'the same way with the checks of the other draft',
  },
  'broker/ingest': {
    may: [
      'broker/authority',
      'broker/envelopes',
      'broker/origins',
      'broker/ring',
      'broker/session',
      'broker/submit',
    ],
    why: 'what other nodes accepted, by the same way from the mark on',
  },
  'broker/inbox': {
    may: [
      'broker/authority',
      'broker/origins',
      'broker/remote',
      'broker/stream',
      'broker/ring',
      'broker/session',
    ],
    why: 'a mailbox handed over, and what became of it',
  },
  'broker/needs': {
    may: ['broker', 'broker/ring', 'broker/session'],
    why: 'what needs the person, as any receiver may work it out: it observes the broker, which never reads it',
  },
  broker: {
    may: [
      'broker/authority',
      'broker/mail',
      'broker/kinship',
      'broker/quota',
      'broker/ring',
      'broker/stream',
      'broker/session',
      'broker/audience',
      'broker/remote',
      'broker/submit',
      'broker/envelopes',
      'broker/inbox',
      'broker/ingest',
      'broker/origins',
    ],
    why: 'the façade, and what it opens',
  },

  'store/rows': { may: ['store/driver'], why: 'the schema, its statements and its rows' },
  'store/driver': { may: [], why: 'who brings SQLite' },
  'store/witness': { may: ['store/driver'], why: 'what became of files, by their names and lengths' },
  'store/file': {
    may: ['store/driver', 'store/rows', 'store/witness'],
    why: 'opening, locking, repairing one database',
  },
  'store/ring': { may: ['store/driver', 'store/rows', 'store/file'], why: 'the ring over an open database' },
  store: {
    may: ['store/driver', 'store/rows', 'store/ring'],
    why: 'the sessions beside the frames',
  },

  'server/ports': { may: [], why: 'what others in this process serve over it' },
  'server/request': { may: ['server/ports'], why: 'one request: its caller, body, route, answer' },
  'server/documents': { may: ['server/ports', 'server/request'], why: 'what the server says about itself' },
  'server/lines': {
    may: ['server/request'],
    why: 'many submissions in one request, and their answers in order',
  },
  'server/handlers': {
    may: ['server/ports', 'server/request', 'server/documents', 'server/lines'],
    why: 'one file per resource',
  },
  'server/handlers/link': {
    may: ['server/ports', 'server/request', 'server/handlers'],
    why: 'the paths of links, which are there where a link is',
  },
  'server/handlers/retained': {
    may: ['server/request'],
    why: 'what is done to what is retained, beside reading it',
  },
  server: {
    may: ['server/request', 'server/handlers', 'server/handlers/link', 'server/handlers/retained'],
    why: 'the listener that calls them',
  },

  'client/reply': { may: [], why: 'what the daemon answers, in the names of a program' },
  'client/http': { may: [], why: 'one connection over the socket' },
  'client/reading': {
    may: ['client/envelopes', 'client/http', 'client/reply'],
    why: 'what the daemon is asked for: who is there, what was, what needs the person',
  },
  'client/stream': { may: ['client/http', 'client/reply'], why: 'a connection that resumes by position' },
  'client/pipe': { may: ['client/http'], why: 'many submissions over one request' },
  'client/envelopes': {
    may: ['client/http', 'client/reply', 'client/stream', 'client/pipe'],
    why: 'an envelope out, and its answers back over a stream',
  },
  'client/service': {
    may: ['client/http', 'client/reply', 'client/stream', 'client/envelopes'],
    why: 'tasks in from a stream, answers out',
  },
  client: {
    may: [
      'client/http',
      'client/reply',
      'client/stream',
      'client/pipe',
      'client/envelopes',
      'client/reading',
      'client/service',
    ],
    why: 'the public library',
  },

  'bridge/daemon': { may: [], why: 'the paths of the link, asked over the socket' },
  'bridge/hub': { may: [], why: 'one connection to a hub; it knows no daemon' },
  bridge: {
    may: ['bridge/daemon', 'bridge/hub'],
    why: 'what leaves and what comes, from one to the other',
  },

  'hooks/memory': { may: [], why: 'what is remembered of a session, and how it is written down' },
  'hooks/places': { may: [], why: 'where paths lead, without waiting for a disk' },
  'hooks/board': { may: ['hooks/memory'], why: "the recipients' correlation, hosted" },
  'hooks/observation': {
    may: ['hooks/memory', 'hooks/places'],
    why: 'what the machine shows of siblings that say nothing, without waiting for it',
  },
  'hooks/session': {
    may: ['hooks/memory', 'hooks/places', 'hooks/board', 'hooks/observation'],
    why: 'one session at the broker: registered, its inbox, its neighbours',
  },
  'hooks/wake': { may: ['hooks/memory', 'hooks/session'], why: 'what is urgent, to a session that is idle' },
  'hooks/answer': {
    may: ['hooks/memory', 'hooks/places', 'hooks/board', 'hooks/observation', 'hooks/session', 'hooks/wake'],
    why: 'what is said to each event',
  },
  hooks: {
    may: [
      'hooks/memory',
      'hooks/places',
      'hooks/board',
      'hooks/observation',
      'hooks/session',
      'hooks/wake',
      'hooks/answer',
    ],
    why: 'the desk: octets in, octets out, within bounds',
  },

  'gateway/rosters': { may: [], why: 'who is there on other nodes, and how right their clocks are' },
  'gateway/seal': { may: [], why: 'the keys of a realm that its hub is not to read' },
  'gateway/in': {
    may: ['gateway/plan', 'gateway/rosters', 'gateway/seal'],
    why: 'what of a batch is let in',
  },
  'gateway/plan': { may: [], why: 'for whom is written over a link, and what is read there' },
  'gateway/side': {
    may: ['gateway/in', 'gateway/rosters', 'gateway/seal'],
    why: 'what a realm is to this machine: who has a say in it, and for whom something of ours is there',
  },
  'gateway/accord': {
    may: ['gateway/in', 'gateway/plan', 'gateway/side'],
    why: 'the realm of two organisations: its documents, who speaks there, and what a grant lets through',
  },
  'gateway/out': {
    may: ['gateway/plan', 'gateway/rosters', 'gateway/seal', 'gateway/side'],
    why: 'what leaves, and who is told to be here',
  },
  'gateway/bridge': { may: [], why: 'the process that carries it' },
  gateway: {
    may: [
      'gateway/accord',
      'gateway/bridge',
      'gateway/in',
      'gateway/out',
      'gateway/plan',
      'gateway/rosters',
      'gateway/seal',
      'gateway/side',
    ],
    why: 'each link put together, and all of them',
  },

  'daemon/place': {
    may: [],
    why: 'the right to be the one at a place, and what is done to the store under it while no daemon runs',
  },
  'daemon/serving': {
    may: [],
    why: 'the HTTP server put together, and the tools that are served inside it, over connections to itself',
  },
  daemon: {
    may: ['daemon/place', 'daemon/serving'],
    why: 'takes its place, and puts the daemon together there',
  },

  'ui/page/link': {
    may: ['ui/seat'],
    why: 'the way from a browser to the process that serves it: signing in, asking, watching',
  },
  'ui/page/state': {
    may: ['ui/page/link', 'ui/seat', 'ui/seat/alerts', 'ui/seat/needs', 'ui/seat/text'],
    why: 'one page: what it knows as signals, its keys, its drafts, what is read out and told elsewhere',
  },
  'ui/page/parts': {
    may: ['ui/page/state', 'ui/seat', 'ui/seat/text'],
    why: "pieces that every screen is made of; a sender's text is drawn here and nowhere else",
  },
  'ui/page/now': {
    may: ['ui/page/parts', 'ui/page/state', 'ui/seat', 'ui/seat/here', 'ui/seat/needs', 'ui/seat/text'],
    why: 'what is the case without a click, and answering it',
  },
  'ui/page/passing': {
    may: ['ui/page/now', 'ui/page/parts', 'ui/page/state', 'ui/seat', 'ui/seat/passing', 'ui/seat/text'],
    why: 'everything that passes, as it passes; what waits for the person in it is answered by the card of now',
  },
  'ui/page/threads': {
    may: ['ui/page/now', 'ui/page/parts', 'ui/page/state', 'ui/seat', 'ui/seat/needs', 'ui/seat/threads'],
    why: 'workflows, with the cards of what in them waits for the person',
  },
  'ui/page/panels': {
    may: [
      'ui/page/parts',
      'ui/page/state',
      'ui/seat',
      'ui/seat/here',
      'ui/seat/needs',
      'ui/seat/passing',
      'ui/seat/text',
    ],
    why: 'what stands over a screen: one session, something to send, the keys',
  },
  'ui/page': {
    may: [
      'ui/page/now',
      'ui/page/panels',
      'ui/page/parts',
      'ui/page/passing',
      'ui/page/state',
      'ui/page/threads',
      'ui/seat',
      'ui/seat/text',
    ],
    why: 'the page around its screens, for a browser alone',
  },
  'ui/seat/text': { may: [], why: "words, keys and times, and a sender's text made visible" },
  'ui/seat/here': { may: ['ui/seat/text'], why: 'who is there, and which files two of them are at' },
  'ui/seat/needs': {
    may: ['ui/seat/here', 'ui/seat/text'],
    why: 'what waits for a person, what is said to it, and what a person says unasked',
  },
  'ui/seat/passing': {
    may: ['ui/seat/here', 'ui/seat/text'],
    why: 'what passes, as rows and as a view onto them',
  },
  'ui/seat/threads': {
    may: ['ui/seat/text'],
    why: 'workflows: which there are, and one as it is shown, by what answers what and by who is in it',
  },
  'ui/seat': {
    may: ['ui/seat/here', 'ui/seat/needs', 'ui/seat/passing', 'ui/seat/text'],
    why: 'all of it in one model, fed with the events of a watch; it draws nothing and sends nothing',
  },
  'ui/seat/alerts': {
    may: ['ui/seat', 'ui/seat/needs', 'ui/seat/text'],
    why: 'what the person is told of while they look elsewhere, and when',
  },

  'mcp/session': { may: [], why: 'one session of the daemon for each identity that calls' },
  'mcp/tools': { may: ['mcp/session'], why: 'a tool acts as the session that calls it' },
  mcp: { may: ['mcp/session', 'mcp/tools'], why: 'the server over its two ends' },

  'ui/serve/entry': {
    may: ['ui/seat'],
    why: 'what a request may be, and how it is answered, by what names a tab keeps it; it knows no daemon',
  },
  'ui/serve/keys': { may: [], why: 'who has signed in: digests and clocks' },
  'ui/serve/alerts': {
    may: ['ui/seat', 'ui/seat/alerts'],
    why: 'what the person is told by the system while no page is there',
  },
  'ui/serve/upstream': {
    may: ['ui/seat/threads', 'ui/serve/entry', 'ui/serve/keys'],
    why: 'what was let in, asked of the daemon in the name of the person',
  },
  'ui/serve': {
    may: ['ui/serve/alerts', 'ui/serve/entry', 'ui/serve/keys', 'ui/serve/upstream'],
    why: "the page's process: its listener, its door, its end",
  },

  'ui/top/state': {
    may: ['ui/seat', 'ui/seat/needs', 'ui/seat/passing', 'ui/seat/text', 'ui/seat/threads'],
    why: 'how the person looks at the seat from a terminal, and what keys do to it; it draws nothing and asks nobody',
  },
  'ui/top/lines': {
    may: [
      'ui/seat',
      'ui/seat/here',
      'ui/seat/needs',
      'ui/seat/passing',
      'ui/seat/text',
      'ui/seat/threads',
      'ui/top/state',
    ],
    why: "all of it as lines that fit; a sender's text becomes one here and nowhere else",
  },
  'ui/top/terminal': {
    may: ['ui/seat', 'ui/top/state'],
    why: 'a terminal taken, painted and given back; it knows no seat',
  },
  'ui/top/link': {
    may: ['ui/seat', 'ui/seat/needs', 'ui/seat/threads', 'ui/serve/upstream'],
    why: "the watch and what the person does, asked of the daemon by the session that a page's process has too",
  },
  'ui/top': {
    may: [
      'ui/seat',
      'ui/seat/alerts',
      'ui/serve/upstream',
      'ui/top/lines',
      'ui/top/link',
      'ui/top/state',
      'ui/top/terminal',
    ],
    why: 'one terminal, put together; and one screen of it as text',
  },

  'cli/terminal': { may: [], why: 'text on a screen; it knows no command' },
  'cli/items': { may: ['cli/terminal'], why: 'a frame, an envelope or a gap as lines' },
  'cli/reaction': {
    may: ['cli/items', 'cli/run', 'cli/terminal'],
    why: 'what else is done with an item that passes: a notification, a command',
  },
  'cli/input': { may: [], why: 'what a person typed or piped' },
  'cli/run': { may: ['cli/terminal'], why: 'what every command has: options, a daemon, an exit code' },
  'cli/manual': { may: ['cli/help'], why: 'the command tree and the topics as manual pages' },
  'cli/completion': {
    may: ['cli/authority', 'cli/keys', 'cli/leases'],
    why: 'words and scripts for shells, and what there is just now',
  },
  'cli/keys': { may: ['cli/terminal'], why: 'keys as a table' },
  'cli/observation': {
    may: ['cli/run', 'cli/terminal'],
    why: 'one look at a place: what was told, what is seen, and both as lines',
  },
  'cli/verbs': {
    may: ['cli/help', 'cli/input', 'cli/run', 'cli/terminal'],
    why: 'one way from flags to a verb',
  },
  'cli/leases': {
    may: ['cli/items', 'cli/run', 'cli/terminal', 'cli/verbs'],
    why: 'who announced what, as the board says it: found, told, kept while a command runs',
  },
  'cli/roster': {
    may: ['cli/run', 'cli/terminal'],
    why: 'who is there and on which node, as a table and as lines',
  },
  'cli/wrap': { may: ['cli/input', 'cli/run', 'cli/terminal'], why: "somebody else's program" },
  'cli/envelope': {
    may: ['cli/input', 'cli/items', 'cli/run', 'cli/terminal'],
    why: 'what several envelope commands share',
  },
  'cli/pipe': { may: [], why: 'lines between an agent runtime and whichever daemon there is' },
  'cli/fast': {
    may: ['cli/pipe', 'cli/run', 'cli/seat', 'cli/terminal', 'cli/verbs'],
    why: 'the short ways, without commander',
  },
  'cli/published': {
    may: [],
    why: 'which schema has what a command prints for programs, and those of its own',
  },
  'cli/help': { may: ['cli/run'], why: 'pages on what is worth knowing besides the commands' },
  'cli/commands': {
    may: ['cli/completion', 'cli/help', 'cli/run'],
    why: 'the commands that are about commands',
  },
  'cli/needs': {
    may: [],
    why: 'what needs the person, found by its id, shown and answered',
  },
  'cli/handover': {
    may: ['cli/run'],
    why: 'work taken over: which is meant, whose it is then, where its text goes',
  },
  'cli/setup': { may: ['cli/run'], why: 'what is going to change, shown and asked about' },
  'cli/authority': {
    may: ['cli/input', 'cli/keys', 'cli/run', 'cli/setup', 'cli/terminal'],
    why: 'handles and documents in their folder, and that only the person changes them',
  },
  'cli/link/hub/kept': {
    may: ['cli/authority'],
    why: 'what a hub is, in its folder and by the documents of the moment',
  },
  'cli/link/hub': {
    may: ['cli/authority', 'cli/link/hub/kept', 'cli/run', 'cli/terminal'],
    why: "a hub of the person's own: who is let in, and its server",
  },
  'cli/link': {
    may: ['cli/authority', 'cli/input', 'cli/link/hub', 'cli/link/hub/kept', 'cli/run', 'cli/setup'],
    why: 'links of this machine: added, shown, examined with the hub beside them, and what may leave over each',
  },
  'cli/link/org': {
    may: ['cli/authority', 'cli/link', 'cli/link/hub', 'cli/link/hub/kept', 'cli/run', 'cli/terminal'],
    why: 'machines let in to an organisation, and its charter handed to them',
  },
  'cli/link/accord': {
    may: ['cli/authority', 'cli/link', 'cli/link/hub', 'cli/link/hub/kept', 'cli/link/org', 'cli/run'],
    why: 'machines of two organisations let in under what both have signed',
  },
  'cli/commands/link': {
    may: ['cli/help', 'cli/link', 'cli/link/hub', 'cli/run'],
    why: "this machine and the person's others",
  },
  'cli/uninstall': {
    may: ['cli/run', 'cli/seat', 'cli/setup'],
    why: 'what agentd has put on a machine, part by part, and what it leaves',
  },
  'cli/logs': { may: ['cli/run'], why: 'lines of a log, from wherever it is kept' },
  'cli/doctor': { may: ['cli/link', 'cli/run'], why: 'what is silently off, for whoever shows it' },
  'cli/report': {
    may: ['cli/authority', 'cli/config', 'cli/doctor', 'cli/logs', 'cli/run'],
    why: 'what a bug report needs, with everything private taken out',
  },
  'cli/config': {
    may: ['cli/authority', 'cli/run', 'cli/setup', 'cli/terminal'],
    why: 'the settings that hold, one of them changed, and the daemon told of it',
  },
  'cli/commands/daemon': {
    may: [
      'cli/help',
      'cli/config',
      'cli/items',
      'cli/leases',
      'cli/logs',
      'cli/report',
      'cli/run',
      'cli/setup',
      'cli/terminal',
      'cli/uninstall',
    ],
    why: 'the daemon itself, and the end of all of it',
  },
  'cli/commands/frames': {
    may: [
      'cli/help',
      'cli/handover',
      'cli/input',
      'cli/items',
      'cli/leases',
      'cli/needs',
      'cli/reaction',
      'cli/roster',
      'cli/run',
      'cli/setup',
      'cli/terminal',
      'cli/verbs',
    ],
    why: 'frames out and in',
  },
  'cli/commands/leases': {
    may: ['cli/help', 'cli/items', 'cli/leases', 'cli/run', 'cli/terminal', 'cli/verbs'],
    why: 'leases announced, listed and let go',
  },
  'cli/evidence': { may: ['cli/input'], why: 'ledgers, tips and bundles as files; it prints nothing' },
  'cli/commands/audit': {
    may: ['cli/help', 'cli/evidence', 'cli/input', 'cli/keys', 'cli/run', 'cli/terminal'],
    why: 'whether the evidence is still what was written',
  },
  'cli/commands/needs': {
    may: ['cli/help', 'cli/envelope', 'cli/keys', 'cli/needs', 'cli/run', 'cli/setup'],
    why: 'what needs the person, and what is said to it',
  },
  'cli/commands/authority': {
    may: ['cli/help', 'cli/authority', 'cli/link/accord', 'cli/link/org', 'cli/run', 'cli/terminal'],
    why: 'the handles one goes by, and who is in an organisation',
  },
  'cli/commands/envelopes': {
    may: [
      'cli/help',
      'cli/authority',
      'cli/envelope',
      'cli/input',
      'cli/keys',
      'cli/run',
      'cli/setup',
      'cli/terminal',
      'cli/wrap',
    ],
    why: 'envelopes, keys and evidence',
  },
  'cli/commands/runtimes': {
    may: ['cli/help', 'cli/doctor', 'cli/fast', 'cli/observation', 'cli/run', 'cli/setup', 'cli/terminal'],
    why: 'the agent runtimes',
  },
  'cli/seat': {
    may: ['cli/keys', 'cli/run'],
    why: "the page's process and a terminal, reached, started and run; approvals are signed by the person's keys",
  },
  'cli/commands/seat': { may: ['cli/help', 'cli/run', 'cli/seat'], why: "the person's seat" },
  cli: {
    may: [
      'cli/commands',
      'cli/commands/authority',
      'cli/commands/daemon',
      'cli/commands/envelopes',
      'cli/commands/frames',
      'cli/commands/leases',
      'cli/commands/link',
      'cli/commands/needs',
      'cli/commands/audit',
      'cli/commands/runtimes',
      'cli/commands/seat',
      'cli/help',
      'cli/manual',
      'cli/published',
      'cli/run',
      'cli/terminal',
    ],
    why: 'the program, which names every command',
  },

  'runtimes/setup/files': { may: [], why: "editing JSON, TOML and shell files that are somebody else's" },
  'runtimes/setup': { may: ['runtimes/setup/files'], why: 'from what is desired to what is written' },
  'runtimes/events': { may: [], why: 'what a runtime says to a hook, and how it is answered' },
  'runtimes/edits': { may: ['runtimes/events'], why: 'which files a tool call touches' },
  'runtimes/doctor': {
    may: ['runtimes/edits', 'runtimes/setup', 'runtimes/setup/files'],
    why: 'what a finding is, and what of a runtime is looked at',
  },
  'runtimes/doctor/examination': {
    may: ['runtimes/doctor', 'runtimes/setup', 'runtimes/setup/files'],
    why: 'what is silently off, of whatever runtimes it is handed',
  },
  'runtimes/doctor/live': { may: ['runtimes/doctor'], why: 'what becomes of a probe, and why' },
  'runtimes/record': {
    may: ['runtimes/doctor', 'runtimes/events'],
    why: 'what has to be known of a runtime, for hooks and for commands',
  },
  ...rowsOfRuntimes(),
  runtimes: {
    may: ['runtimes/events', 'runtimes/record', 'runtimes/setup', ...RUNTIME_WINGS],
    why: 'the table of all runtimes',
  },
  'runtimes/marketplace': {
    may: ['runtimes/claude-code', 'runtimes/codex', 'runtimes/setup/files'],
    why: 'the plugin that stands in the repository, from what set-up writes',
  },
  'runtimes/git': {
    may: ['runtimes', 'runtimes/setup', 'runtimes/setup/files'],
    why: 'the hooks of git, which is set up like a runtime and is none',
  },
}
