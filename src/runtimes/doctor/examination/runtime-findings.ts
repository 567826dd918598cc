/**
 * How one runtime is: there or not, set up or not, heard or not, and every way in which it may be silently off.
 *
 * @see docs/runtimes.md §10 rule 7; PD-13
 */
import { formatAgo } from '../../../core/text/durations.ts'
import { callOnce } from '../../../client/http/one-call.ts'
import { readPersonKey } from '../../../host/config/paths.ts'
import { socketFault } from '../../../host/socket/own-socket.ts'
import { parseMembers, textMember } from '../../../core/text/json-object.ts'
import { SERVER_NAME } from '../../setup/files/json-file.ts'
import { findSocketPlace } from '../../setup/socket-call.ts'
import { findProgram } from '../../setup/paths.ts'
import type { DesiredFile } from '../../setup/target.ts'
import { DAEMON_MS } from '../bounds.ts'
import { memberAt, readJsonConfig, readTomlConfig } from '../config-text.ts'
import { curlFindings } from './curl-lines.ts'
import { notesOn, type DoctorFinding, type Notes } from '../finding.ts'
import { answerFindings, hookFindings } from './hook-findings.ts'
import { launchFault } from './launch-fault.ts'
import { hookFiles } from './installed.ts'
import { desiredFiles, type DoctorTarget } from '../target.ts'
import { programVersion } from './program-version.ts'
import { serverAt, type ServerEntry } from '../server-entry.ts'

/** Everything about one runtime, in the order in which it is read. */
export async function examineRuntime(target: DoctorTarget): Promise<readonly DoctorFinding[]> {
  const { setup, runtime, user } = target
  const { doctor } = runtime
  const notes = notesOn(setup.id)
  if (!setup.isInstalled(user)) return [notes.off('installed', `${setup.title} is not on this machine.`)]
  const files = hookFiles(target)
  const servers = serverEntries(target)
  return [
    await installed(target, notes),
    ...hookFindings(target, notes, files),
    ...(await answerFindings(target, notes, files)),
    ...curlFindings(notes, files, target.place),
    ...doctor.switches(target, files),
    ...(doctor.plugin?.isOn(target) === true && servers.length === 0
      ? [notes.ok('mcp', 'The plugin brings the server.')]
      : mcp(target, notes, servers)),
    ...servers.flatMap((server) => socketReach(target, notes, server)),
    ...(files.some(({ hasOwn }) => hasOwn) ? [await heard(target, notes)] : []),
  ]
}

async function installed({ setup, runtime, user }: DoctorTarget, notes: Notes): Promise<DoctorFinding> {
  const { environment } = user
  const program = runtime.programs.map((name) => findProgram(environment, name)).find(Boolean)
  if (program === undefined) {
    return notes.ok('installed', `${setup.title} has a folder here, and no program of it is on PATH.`)
  }
  const version = await programVersion(environment, program)
  if (version === undefined) return notes.ok('installed', `${program} did not say which version it is.`)
  const { verified } = runtime
  const tried =
    verified.how === 'run' && verified.version !== version ? `; ${verified.version} was tried` : ''
  return notes.ok('installed', `${setup.title} ${version} at ${program}${tried}.`)
}

function mcp(
  { setup }: DoctorTarget,
  notes: Notes,
  servers: readonly ServerEntry[],
): readonly DoctorFinding[] {
  const fix = `agentd setup ${setup.id}`
  if (servers.length === 0) return [notes.off('mcp', 'No server of agentd is set up.', fix)]
  return servers.map(({ path, isOurs, launch }) => {
    if (!isOurs) return notes.warn('mcp', `${path} has a server "agentd" that is not ours.`)
    const fault = launch === undefined ? 'it names no program' : launchFault(launch)
    return fault === undefined
      ? notes.ok('mcp', `The server is set up in ${path}.`)
      : notes.fail('mcp', `The server in ${path} does not start: ${fault}.`, fix)
  })
}

/**
 * A server may be started with none of the variables that say where the daemon is; what stands in its entry
 * then has to lead to the same socket.
 */
function socketReach(
  { runtime, setup, surroundings, place: here }: DoctorTarget,
  notes: Notes,
  { path, isOurs, env }: ServerEntry,
): readonly DoctorFinding[] {
  if (!isOurs) return []
  const { environment } = surroundings
  const scrubbed = { ...environment, env: { PATH: environment.env['PATH'], ...env } }
  const there = findSocketPlace(scrubbed, undefined)
  const fault = there === undefined ? undefined : socketFault(there)
  if (fault !== undefined) {
    const sentence = `The server in ${path} refuses the socket ${there ?? ''}: ${fault}.`
    return [notes.fail('mcp-socket', sentence, `agentd setup ${setup.id}, once the place is right`)]
  }
  if (here === undefined || here === there) return []
  const sentence = `The server in ${path} would look for the daemon at ${there ?? 'no usable place'}, and it listens at ${here}.`
  const fix = `agentd setup ${setup.id}, with the variables set as they are now`
  return runtime.doctor.scrubsVariables === true
    ? [notes.fail('mcp-socket', sentence, fix)]
    : [
        notes.warn(
          'mcp-socket',
          `${sentence} That matters when ${setup.title} is not started from this shell.`,
          fix,
        ),
      ]
}

/** Whether the daemon hears of the hooks, and since when not. */
async function heard(target: DoctorTarget, notes: Notes): Promise<DoctorFinding> {
  const { setup } = target
  const atMs = await lastHeardMs(target)
  if (atMs === undefined) {
    return notes.off(
      'heard',
      `No hook of ${setup.title} has been heard yet.`,
      `start a session of ${setup.title} and ask again`,
    )
  }
  return notes.ok('heard', `A hook of ${setup.title} was last heard ${formatAgo(Date.now() - atMs)}.`)
}

/** As the daemon remembers it; undefined where it remembers none, or is not there. */
async function lastHeardMs({
  setup: { id },
  surroundings: { environment },
  place: socketPath,
}: DoctorTarget): Promise<number | undefined> {
  if (socketPath === undefined || socketFault(socketPath) !== undefined) return undefined
  const signal = AbortSignal.timeout(DAEMON_MS)
  const call = { socketPath, method: 'GET', path: `/v1/hooks/${id}`, token: undefined, signal } as const
  const answer = await callOnce({ ...call, personKey: readPersonKey(environment) })
  const reply = answer.kind === 'answered' && answer.status === 200 ? parseMembers(answer.text) : undefined
  const atMs = Date.parse((reply && textMember(reply, 'last_heard_at')) ?? '')
  return Number.isNaN(atMs) ? undefined : atMs
}

/** Every server entry under our name. */
function serverEntries(target: DoctorTarget): readonly ServerEntry[] {
  const { runtime, user, project } = target
  const kept = runtime.doctor.servers?.(target)
  if (kept !== undefined) return kept
  return [user, project].flatMap((paths) => desiredFiles(target, paths).flatMap((file) => serversIn(file)))
}

function serversIn(desired: DesiredFile): readonly ServerEntry[] {
  if (desired.format === 'toml') {
    const { value } = readTomlConfig(desired.path)
    return serverAt(memberAt(value, 'mcp_servers', SERVER_NAME), desired.path)
  }
  if (desired.format !== 'json') return []
  const { value } = readJsonConfig(desired.path)
  return desired.entries.flatMap((entry) =>
    entry.kind === 'server' ? serverAt(memberAt(value, entry.list, SERVER_NAME), desired.path) : [],
  )
}
