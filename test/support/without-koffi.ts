/**
 * What cannot be tested where the kernel is not asked who is at the other end of a connection: koffi is not installed.
 *
 * @see docs/reliability.md §1.3
 */
import { loadPeerCredentials } from '../../src/host/socket/peer-credentials.ts'
import { isSo, verdictOf } from './needs.ts'

const findPeer = await loadPeerCredentials(process.platform)

/**
 * For a session that is told by the process it comes from.
 *
 * @throws Error under CI on Linux, unless `AGENTD_SQLITE` is `none`, where no native package is installed
 */
export function knowsProcesses(): boolean {
  const isInstallable = process.platform === 'linux' && process.env['AGENTD_SQLITE'] !== 'none'
  const isThere = findPeer !== undefined
  const verdict = verdictOf({ isThere, isInstallable, isCi: Boolean(process.env['CI']) })
  if (verdict === 'fail') throw new Error('koffi is not installed, and under CI nothing is left out.')
  return isSo(isThere, 'they need koffi, which tells the processes behind connections')
}
