/**
 * How the hooks of one runtime are: set up or not, of this version or not, and whether they start and reach anything.
 *
 * @see docs/runtimes.md §10 rules 7, 10, 12; OP-12, OP-31
 */
import { readPersonKey } from '../../../host/config/paths.ts'
import { socketFault } from '../../../host/socket/own-socket.ts'
import type { OwnChange } from '../../setup/own-lines.ts'
import { partsOnRequest } from '../../setup/parts.ts'
import { isProgram } from '../../setup/paths.ts'
import type { DoctorFinding, Notes } from '../finding.ts'
import { isSameLaunch, type HookFile } from '../hook-file.ts'
import type { DoctorTarget } from '../target.ts'
import { callFindings } from './call-findings.ts'
import { exchangeFinding, type HookWay } from './hook-exchange.ts'
import { launchFault } from './launch-fault.ts'

/** What is wrong with the files themselves, with what their lines start, and with what they reach. */
export function hookFindings(
  target: DoctorTarget,
  notes: Notes,
  files: readonly HookFile[],
): readonly DoctorFinding[] {
  const { setup, surroundings, place } = target
  const broken = files.filter(({ fault }) => fault !== undefined)
  const faults = broken.map(({ path, fault = '' }) =>
    notes.fail('hooks-file', `${path} is not read: ${fault}.`, `repair ${path}`),
  )
  const own = files.filter(({ hasOwn }) => hasOwn)
  const isOnRequest = partsOnRequest(setup).includes('hooks')
  const command = `agentd setup ${setup.id}${isOnRequest ? ' --plugin' : ''}`
  if (own.length === 0) {
    const others = files.reduce((sum, { entries }) => sum + entries.length, 0)
    const beside = others === 0 ? '' : ` (${others} of others are)`
    return [...faults, notes.off('hooks', `No hooks of agentd are set up${beside}.`, command)]
  }
  return [
    ...faults,
    ...own.flatMap((file) => {
      const fix = fixOf(file, command)
      return [
        hookState(target, notes, { file, fix }),
        ...callFindings(notes, { file, surroundings, place, fix }),
      ]
    }),
  ]
}

function fixOf({ fix, scope }: HookFile, command: string): string {
  return fix ?? (scope === 'project' ? `${command} --scope project` : command)
}

/** Each way of its lines once, where nothing else was found against it. */
export function answerFindings(
  { setup, surroundings, place }: DoctorTarget,
  notes: Notes,
  files: readonly HookFile[],
): Promise<readonly DoctorFinding[]> {
  const own = files.filter(({ hasOwn }) => hasOwn)
  const usable = own.flatMap(({ calls }): readonly HookWay[] => {
    if (calls.length > 0) return calls.filter(({ curl, socket }) => isProgram(curl) && socket === place)
    // Whose socket it is was found elsewhere.
    if (place === undefined || socketFault(place) !== undefined) return []
    return [{ curl: undefined, socket: place, personKey: readPersonKey(surroundings.environment) }]
  })
  return Promise.all(usable.slice(0, 1).map((way) => exchangeFinding(notes, setup.id, way)))
}

/** The worst that can be said of one file. */
function hookState(
  { surroundings }: DoctorTarget,
  notes: Notes,
  { file, fix }: { readonly file: HookFile; readonly fix: string },
): DoctorFinding {
  const { path, launches, isCurrent, changes } = file
  const stale = launches.map(launchFault).find((fault) => fault !== undefined)
  if (stale !== undefined)
    return notes.fail('hooks-paths', `The hooks in ${path} do not start: ${stale}.`, fix)
  const other = launches.find((launch) => !isSameLaunch(launch, surroundings.launch))
  if (other !== undefined) {
    return notes.warn(
      'hooks-paths',
      `The hooks in ${path} start another agentd: ${other.script} with ${other.node}.`,
      fix,
    )
  }
  if (!isCurrent)
    return notes.warn(
      'hooks',
      `The hooks in ${path} are not what this version sets up${spell(changes)}.`,
      fix,
    )
  return notes.ok('hooks', `The hooks are set up in ${path}.`)
}

/** `: it lacks Stop; SessionEnd is of another version` */
function spell(changes: HookFile['changes']): string {
  const named = (change: OwnChange['change']): string =>
    changes
      .filter((one) => one.change === change)
      .map(({ event, kind }) => event ?? kind)
      .join(', ')
  const parts = [
    ['missing', named('added')],
    ['of another version', named('changed')],
    ['heard by nobody any more', named('removed')],
  ] as const
  const said = parts.flatMap(([what, names]) => (names === '' ? [] : [`${what}: ${names}`]))
  return said.length === 0 ? '' : `; ${said.join('; ')}`
}
