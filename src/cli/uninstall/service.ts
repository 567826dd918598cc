/**
 * The daemon in the hands of the system's service manager, taken out of them.
 */
import { safeLine } from '../../core/text/safe-text.ts'
import type { CommandContext } from '../run/command-context.ts'
import { EXIT } from '../run/exit.ts'
import { formatPlace } from '../setup/summary.ts'
import type { Part } from './part.ts'

/** The units that `agentd service install` has written. */
export async function findService(context: CommandContext): Promise<Part> {
  const { environment } = context
  const { ownUnits, unitPlaces } = await import('../../host/service/units.ts')
  const { retireUnits } = await import('../../host/service/retire-units.ts')
  return {
    rows: ownUnits(unitPlaces(environment)).map((path) => ({
      place: formatPlace(path, context),
      what: 'service stopped, file removed',
    })),
    async take() {
      const { removed, fault } = await retireUnits(environment)
      const failure = { exit: EXIT.unsafe, trouble: { code: 'unsafe', message: fault ?? '' } }
      return {
        lines:
          removed.length === 0 ? [] : ['service:', ...removed.map((path) => `  removed ${safeLine(path)}`)],
        notes: [],
        failures: fault === undefined ? [] : [failure],
        data: { service: { removed, failure: fault } },
      }
    },
  }
}
