/**
 * `agentd doctor`: everything that is looked at, in the order in which it is read. Nothing is changed.
 */
import { examineAgentd } from './agentd-findings.ts'
import { notesOn, type Finding } from './finding.ts'
import { patientsInstalled, patientsNamed, type Surroundings } from './target.ts'
import { examineRuntime } from './runtime-findings.ts'

/**
 * @param names - of runtimes; none: those that this machine has
 * @throws RangeError for a name that is none
 */
export async function examine(
  names: readonly string[],
  surroundings: Surroundings,
): Promise<readonly Finding[]> {
  const patients = names.length === 0 ? patientsInstalled(surroundings) : patientsNamed(names, surroundings)
  const found = await Promise.all([examineAgentd(surroundings), ...patients.map(examineRuntime)])
  if (patients.length > 0) return found.flat()
  return [...found.flat(), notesOn('agentd').off('runtimes', 'No agent runtime was found on this machine.')]
}
