/**
 * `agentd doctor`: everything that is looked at, in the order in which it is read. Nothing is changed.
 */
import { examineAgentd } from './agentd-findings.ts'
import { notesOn, type DoctorFinding } from '../finding.ts'
import { findTargets, type DoctorRuntime, type Surroundings } from '../target.ts'
import { examineRuntime } from './runtime-findings.ts'

/**
 * @param names - of runtimes; none: those that this machine has
 * @param runtimes - all there are
 * @throws UsageError for a name that is none
 */
export async function examine(
  names: readonly string[],
  runtimes: readonly DoctorRuntime[],
  surroundings: Surroundings,
): Promise<readonly DoctorFinding[]> {
  const targets = findTargets(names, runtimes, surroundings)
  const found = await Promise.all([examineAgentd(surroundings), ...targets.map(examineRuntime)])
  if (targets.length > 0) return found.flat()
  return [...found.flat(), notesOn('agentd').off('runtimes', 'No agent runtime was found on this machine.')]
}
