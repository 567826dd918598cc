/**
 * What the doctor finds here, for whoever shows it: loaded when somebody asks, changing nothing.
 */
import { examineLinks } from '../link/examine-links.ts'
import type { CommandContext } from '../run/command-context.ts'
import { ownLaunch } from '../run/launcher.ts'

/** The functions of the doctor, and the runtimes it knows. */
export type Doctor = Awaited<ReturnType<typeof loadDoctor>>

/** One thing that was looked at. */
export type Finding = Awaited<ReturnType<Doctor['examine']>>[number]

/** @param runtimes - ids; none for all that is there, links among it */
export async function findAll(
  modules: Doctor,
  runtimes: readonly string[],
  context: CommandContext,
): Promise<readonly Finding[]> {
  const { environment, socket } = context
  const examined = await modules.examine(runtimes, modules.runtimes, {
    environment,
    socket,
    launch: { ...ownLaunch(), call: modules.findSocketCall(environment, socket) },
    directory: process.cwd(),
    systemDir: '/etc',
  })
  // Who asks for a runtime asks for nothing else.
  const linked = runtimes.length > 0 ? [] : await examineLinks(context, modules.notesOn('links'))
  return [...examined, ...linked]
}

/** No other command needs any of it. */
export async function loadDoctor() {
  const [examine, finding, probe, socketCall, { loadRuntimes }] = await Promise.all([
    import('../../runtimes/doctor/examination/examine.ts'),
    import('../../runtimes/doctor/finding.ts'),
    import('../../runtimes/doctor/live/probe.ts'),
    import('../../runtimes/setup/socket-call.ts'),
    import('../../runtimes/known-runtimes.ts'),
  ])
  return { ...examine, ...finding, ...probe, ...socketCall, runtimes: await loadRuntimes() }
}
