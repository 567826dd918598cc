/**
 * How agentd itself is: this program, its configuration, its places, and the daemon.
 */
import { systemErrorCode, messageOf } from '../../../core/thrown.ts'
import { UsageError } from '../../../core/errors.ts'
import { AgentdUnreachable, connect, type AgentdClient, type Health } from '../../../client/index.ts'
import { readConfigFile } from '../../../host/config/config-file.ts'
import {
  MAX_SOCKET_PATH_BYTES,
  configPath,
  resolveSocketPath,
  type SocketPlace,
  type SocketSource,
} from '../../../host/config/paths.ts'
import { describeSilence } from '../../../host/process/instance-owner.ts'
import { HostRefusal } from '../../../host/files/refusal.ts'
import { readHangMark } from '../../../host/socket/hang-mark.ts'
import { LEAST_NODE, isNodeTooOld } from '../../../host/process/node-version.ts'
import { packageVersion } from '../../../host/package.ts'
import { ANSWER_SECONDS, LEFT_ALONE_SECONDS } from '../../setup/files/curl-line.ts'
import { DAEMON_MS } from '../bounds.ts'
import { notesOn, type DoctorFinding } from '../finding.ts'
import type { Surroundings } from '../target.ts'
import { permissionFindings } from './permissions.ts'

const notes = notesOn('agentd')

/** The socket's path is this close to the bound; one more folder, and it no longer fits. */
const TIGHT_BYTES = 8

const WHY: Readonly<Record<SocketSource, string>> = {
  flag: 'named by --socket',
  env: 'named by AGENTD_SOCKET',
  config: 'named in the configuration file',
  'xdg-runtime': 'in XDG_RUNTIME_DIR',
  'run-user': "in the system's directory for this user",
  tmpdir: 'in TMPDIR',
  home: 'in the home directory, since there is no runtime directory to use',
}

/** What stands in the way of connecting, when that is nothing worse than that no daemon runs. */
const NOT_RUNNING = ['ENOENT', 'ECONNREFUSED']

/** Starts nothing. */
export async function examineAgentd(surroundings: Surroundings): Promise<readonly DoctorFinding[]> {
  const place = findPlace(surroundings)
  const path = 'fault' in place ? undefined : place.path
  return [
    nodeFinding(),
    configFinding(surroundings),
    ...socketFindings(place),
    ...permissionFindings(surroundings, path),
    ...(path === undefined ? [] : [...leftAlone(path), ...(await daemonFindings(path))]),
  ]
}

function nodeFinding(): DoctorFinding {
  const version = process.versions.node
  return isNodeTooOld(version)
    ? notes.fail(
        'node',
        `Node ${version} is older than ${LEAST_NODE}.`,
        `install Node ${LEAST_NODE} or newer`,
      )
    : notes.ok('node', `agentd ${packageVersion()} on Node ${version} (${process.execPath}).`)
}

function configFinding({ environment }: Surroundings): DoctorFinding {
  const path = configPath(environment)
  try {
    readConfigFile(environment)
    return notes.ok('config', `The configuration is ${path}, or its defaults where there is none.`)
  } catch (error) {
    if (!(error instanceof HostRefusal)) throw error
    return notes.fail('config', `${error.message} The daemon does not start with it.`, `repair ${path}`)
  }
}

function findPlace({ environment, socket }: Surroundings): SocketPlace | { readonly fault: string } {
  try {
    return resolveSocketPath(environment, socket)
  } catch (error) {
    if (error instanceof UsageError) return { fault: error.message }
    throw error
  }
}

function socketFindings(place: ReturnType<typeof findPlace>): readonly DoctorFinding[] {
  if ('fault' in place) {
    return [
      notes.fail(
        'socket',
        `${place.fault}.`,
        'name a shorter place with AGENTD_SOCKET or in the configuration file',
      ),
    ]
  }
  const { path, source, note } = place
  const bytes = Buffer.byteLength(path)
  const length = `${bytes} of ${MAX_SOCKET_PATH_BYTES} bytes`
  return [
    bytes > MAX_SOCKET_PATH_BYTES - TIGHT_BYTES
      ? notes.warn('socket', `The socket is ${path} (${WHY[source]}), ${length}: nearly too long.`)
      : notes.ok('socket', `The socket is ${path} (${WHY[source]}), ${length}.`),
    // As under WSL, where the directory may stand open to everybody.
    ...(note === undefined
      ? []
      : [
          notes.warn(
            'runtime-dir',
            note,
            'chmod 700 that directory, if it is yours, and restart the daemon and the sessions',
          ),
        ]),
  ]
}

/** Hooks say nothing meanwhile (OP-29). */
function leftAlone(path: string): readonly DoctorFinding[] {
  const leftMs = (readHangMark(path) ?? 0) - Date.now()
  if (leftMs <= 0 || leftMs > LEFT_ALONE_SECONDS * 1_000) return []
  const seconds = Math.ceil(leftMs / 1_000)
  const sentence = `Hooks leave the daemon alone for ${seconds} s more: it did not answer one within ${ANSWER_SECONDS} s.`
  return [notes.warn('hooks-left-alone', sentence, 'agentd stop, then agentd start')]
}

async function daemonFindings(path: string): Promise<readonly DoctorFinding[]> {
  let client: AgentdClient
  try {
    client = await connect({ socket: path, answerMs: DAEMON_MS })
  } catch (error) {
    return [unreachedFinding(error)]
  }
  try {
    return healthFindings(await client.health())
  } catch (error) {
    return [unreachedFinding(error)]
  } finally {
    await client.close()
  }
}

/** A daemon that does not run is started by the next command or session; one that does not answer is a fault. */
function unreachedFinding(error: unknown): DoctorFinding {
  if (error instanceof AgentdUnreachable && NOT_RUNNING.includes(deepestCode(error) ?? '')) {
    return notes.off(
      'daemon',
      'The daemon is not running; the next session or command starts it.',
      'agentd start',
    )
  }
  if (error instanceof AgentdUnreachable && error.isSilent) {
    const { what, fix } = describeSilence(error.socketPath)
    return notes.fail('daemon', `${what}.`, fix)
  }
  const message = messageOf(error)
  if (error instanceof HostRefusal) {
    const fix = 'end whoever listens there, or name another place with AGENTD_SOCKET'
    return notes.fail('daemon', `${message} Nothing is sent to it, by no command and no hook.`, fix)
  }
  return notes.fail(
    'daemon',
    `The daemon does not answer as it should: ${message}`,
    'agentd stop, then agentd start',
  )
}

/** What the system said, behind whatever was said about it. */
function deepestCode(error: unknown): string | undefined {
  const deeper = error instanceof Error && error.cause !== undefined ? deepestCode(error.cause) : undefined
  return deeper ?? systemErrorCode(error)
}

function healthFindings(health: Health): readonly DoctorFinding[] {
  const { version, pid, ring, peerCredentials, details } = health
  const here = packageVersion()
  const isSame = version === here
  const kept = details.filter((sentence) => sentence.startsWith('Frames are kept in memory'))
  return [
    isSame
      ? notes.ok('daemon', `The daemon runs as pid ${pid}, version ${version}.`)
      : notes.warn(
          'daemon',
          `The daemon is version ${version}, and this is ${here}.`,
          'agentd stop, then agentd start',
        ),
    ...storeFinding(ring, kept),
    ...details
      .filter((sentence) => !kept.includes(sentence))
      .map((sentence) => notes.warn('health', sentence)),
    ...(peerCredentials === 'unavailable'
      ? [
          notes.off(
            'peer-credentials',
            'The kernel is not asked who connects; the permissions alone keep others out.',
          ),
        ]
      : []),
  ]
}

function storeFinding(ring: Health['ring'], kept: readonly string[]): readonly DoctorFinding[] {
  if (ring === null) return [notes.warn('store', 'Nothing is kept for replay.')]
  if (ring.enabled) return [notes.ok('store', 'What waits is kept on disk.')]
  const [why] = kept
  return why === undefined
    ? [notes.off('store', 'What waits is kept in memory only, as configured (ring.enabled, --no-ring).')]
    : [notes.warn('store', why, /in use/.test(why) ? 'end the other daemon' : undefined)]
}
