/**
 * What a bug report needs, gathered from this machine and made harmless on the way.
 */
import { createRequire } from 'node:module'
import { hostname, release } from 'node:os'
import { basename } from 'node:path'
import { connect, type AgentdClient, type Health } from '../../client/index.ts'
import { Failure } from '../../core/errors.ts'
import { messageOf, systemErrorCode } from '../../core/thrown.ts'
import { configPath, stateDir } from '../../host/config/paths.ts'
import { readLinks } from '../../host/links/link-folders.ts'
import { PACKAGE_ROOT, packageVersion } from '../../host/package.ts'
import { AuthorityFolder } from '../authority/authority-folder.ts'
import { effectiveSettings } from '../config/effective.ts'
import { findAll, loadDoctor } from '../doctor/findings.ts'
import { readLogLine } from '../logs/log-line.ts'
import { linesOf, whichLog } from '../logs/which-log.ts'
import type { CommandContext } from '../run/command-context.ts'
import { SOON_MS } from '../run/patience.ts'
import { redactLogLine } from './log-part.ts'
import { ownWords, Redactor } from './redactor.ts'

/** Sessions whose names are looked up to be taken out; the words they are made of go all the same. */
const MAX_NAMED_SESSIONS = 256

/** Variables that change what agentd does; that one is set is told, and never to what. */
const VARIABLES = [
  'AGENTD_SOCKET',
  'AGENTD_STATE_DIR',
  'AGENTD_CONFIG',
  'AGENTD_PRINCIPAL',
  'AGENTD_PROFILE',
  'AGENTD_TOKEN',
  'AGENTD_AS',
  'AGENTD_DEBUG',
  'AGENTD_NO_START',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
  'XDG_CONFIG_HOME',
  'NODE_OPTIONS',
]

/** Headings and the lines below each. */
export type Report = readonly { readonly title: string; readonly lines: readonly string[] }[]

/** @param logLines - the last so many of the log */
export async function gatherReport(context: CommandContext, logLines: number): Promise<Report> {
  const known = await askDaemon(context)
  const redactor = new Redactor(ownWords(PACKAGE_ROOT), [...namesOf(context), ...known.names])
  return [
    { title: 'Versions', lines: versionLines(known.health) },
    { title: 'Daemon', lines: daemonLines(known, redactor) },
    { title: 'Settings that are not as they are by default', lines: settingLines(context, redactor) },
    { title: 'Variables that are set', lines: VARIABLES.filter((name) => context.environment.env[name]) },
    { title: 'What the doctor found', lines: await doctorLines(context, redactor) },
    { title: `The last ${logLines} lines of the log`, lines: await lastLines(context, logLines, redactor) },
  ]
}

interface Known {
  readonly health: Health | undefined
  /** Why there is none. */
  readonly why: string
  readonly names: readonly string[]
}

/** A daemon that runs is asked, and none is started. */
async function askDaemon({ socket, token }: CommandContext): Promise<Known> {
  let client: AgentdClient | undefined
  try {
    client = await connect({ socket, answerMs: SOON_MS })
    const health = await client.health()
    const participant = token === undefined ? client : await client.attach(token)
    const { sessions } = await participant.rosterPage({ limit: MAX_NAMED_SESSIONS })
    const words = sessions.flatMap(({ name, address, title, repository }) => [
      name,
      address,
      title,
      repository,
    ])
    const links = [...(health.links?.here ?? []), ...(health.links?.away ?? [])]
    const names = [health.principal, health.principal.slice(1), health.instanceId, ...links, ...words]
    return { health, why: '', names: names.filter((name) => typeof name === 'string') }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { health: undefined, why: messageOf(error), names: [] }
  } finally {
    await client?.close()
  }
}

/** Names of this person and this machine. */
function namesOf({ environment }: CommandContext): readonly string[] {
  const { homeDir, uid, userName } = environment
  const machine = hostname()
  return [
    userName,
    basename(homeDir),
    machine,
    machine.split('.')[0] ?? '',
    basename(process.cwd()),
    ...attempt(() => readLinks(stateDir(environment), uid).map(({ name }) => name)),
    ...attempt(() => {
      const { principal, declared } = new AuthorityFolder(environment).handles()
      return [principal, ...declared.map(({ handle }) => handle)].map((handle) => handle.slice(1))
    }),
  ]
}

/** What cannot be read names nobody; the doctor says what is wrong with it. */
function attempt(read: () => readonly string[]): readonly string[] {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Failure) && systemErrorCode(error) === undefined) throw error
    return []
  }
}

function versionLines(health: Health | undefined): readonly string[] {
  const sqlite = health?.ring?.sqliteVersion ?? process.versions['sqlite']
  return [
    `agentd ${packageVersion()}${PACKAGE_ROOT.includes('/node_modules/') ? '' : ', a checkout'}`,
    `node ${process.version}, ${process.platform} ${process.arch}, kernel ${/^[\d.]*/.exec(release())?.[0] ?? ''}`,
    `sqlite ${sqlite ?? 'none that is known'}; better-sqlite3 ${packageThere('better-sqlite3')}, koffi ${packageThere('koffi')}`,
  ]
}

function packageThere(name: string): string {
  try {
    const manifest: unknown = createRequire(`${PACKAGE_ROOT}/package.json`)(`${name}/package.json`)
    return String(manifest instanceof Object ? Reflect.get(manifest, 'version') : '')
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return 'not installed'
  }
}

function daemonLines({ health, why }: Known, redactor: Redactor): readonly string[] {
  if (health === undefined) return [`not asked: ${redactor.text(why)}`]
  const {
    status,
    version,
    uptimeMs,
    sessions,
    waiting,
    subscriptions,
    peerCredentials,
    ring,
    links,
    details,
  } = health
  return [
    `${status}, version ${version}, up ${Math.round(uptimeMs / 1_000)} s`,
    `${sessions} sessions, ${waiting ?? 0} waiting at a prompt, ${subscriptions} streams, callers ${peerCredentials ?? 'not told'}`,
    ring === null
      ? 'keeps nothing'
      : `keeps ${ring.frames} items, ${ring.bytes} bytes, ${ring.enabled ? 'on disk' : 'in memory'}, ack ${ring.ack}, synchronous ${ring.synchronous ?? 'none'}`,
    links === undefined ? 'no link' : `${links.here.length} nodes here, ${links.away.length} away`,
    ...details.map((detail) => `note: ${redactor.text(detail)}`),
  ]
}

/** Values that are one of a few, or a number; of the rest, that it is set. */
function settingLines({ environment }: CommandContext, redactor: Redactor): readonly string[] {
  try {
    const changed = effectiveSettings(environment).filter(({ source }) => source !== 'default')
    return changed.map(({ key, value, source, choices }) => {
      const isHarmless = typeof value === 'number' || typeof value === 'boolean' || choices.includes(value)
      return `${key} = ${isHarmless ? String(value) : '[set]'} (${source})`
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [redactor.text(error.message.replaceAll(configPath(environment), '[path]'))]
  }
}

async function doctorLines(context: CommandContext, redactor: Redactor): Promise<readonly string[]> {
  const findings = await findAll(await loadDoctor(), [], context)
  return findings.map(
    ({ area, name, state, sentence }) => `${state.padEnd(4)}  ${area} ${name}: ${redactor.text(sentence)}`,
  )
}

async function lastLines(
  context: CommandContext,
  lines: number,
  redactor: Redactor,
): Promise<readonly string[]> {
  const log = await whichLog(context)
  const wish = { lines, follows: false, signal: new AbortController().signal }
  const told: string[] = []
  try {
    for await (const octets of linesOf(log, wish)) told.push(redactLogLine(readLogLine(octets), redactor))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    told.push(redactor.text(error.message))
  }
  return [
    `from ${{ file: 'a file', journal: 'the journal', foreground: 'nowhere: it runs in the foreground' }[log.kind]}`,
    ...told,
  ]
}
