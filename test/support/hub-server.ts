/** Which nats-server the tests run: Debian 12 has 2.9, and whoever installs one today another. */
import { execFileSync } from 'node:child_process'

/** "2.9.10" */
export function hubVersion(): string {
  const said = execFileSync('nats-server', ['--version'], { encoding: 'utf8' })
  return /\d+(?:\.\d+)+/.exec(said)?.[0] ?? ''
}

/** Whether it takes messages out of a stream that its disk does not give back, and goes on: 2.9 finds them missing, over and over. */
export function mendsDisk(): boolean {
  return hubVersion().localeCompare('2.10', 'en', { numeric: true }) >= 0
}
