/**
 * Opening a page in the person's own browser, by the program that each system has for it.
 *
 * A browser writes down the addresses it is given, and other users can read the arguments of a program: so it is given a file
 * that only this user can read, and the key that is in there is in neither.
 *
 * @see SEAT-15; docs/ui.md "What the listener allows"
 */
import { execFile, spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import type { Environment } from '../../host/config/paths.ts'
import { findOnPath } from '../../host/files/program-path.ts'
import type { SeatLink } from './reach-seat.ts'

/** Programs that open an address, by system; the first that is there does. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  linux: ['xdg-open', 'wslview'],
}

/** What says that there is a screen. */
const SCREENS = ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME', 'BROWSER']

/** How long the system may take to name the browser, in milliseconds. */
const NAME_MS = 2_000

/** As snap calls what it has installed, `firefox_firefox.desktop`; and where its programs are. */
const SNAP = /^[a-z\d-]+_[\w.-]+\.desktop$|\/snap\//

/** A program that opens something in the person's browser. */
export interface Opener {
  readonly program: string
  /** Whether that browser may read a file of this user's: one that snap has installed, or on Windows, may not. */
  readonly readsFiles: boolean
}

/** @returns undefined where there is no screen, or nothing that opens a page on it: the link is then the way */
export async function findOpener(environment: Environment): Promise<Opener | undefined> {
  const { env, platform } = environment
  if (platform !== 'darwin' && !SCREENS.some((name) => env[name])) return undefined
  const program = (OPENERS[platform] ?? []).map((name) => findOnPath(name, env['PATH'])).find(Boolean)
  if (program === undefined) return undefined
  return { program, readsFiles: platform === 'darwin' || (await isAtHome(environment)) }
}

/** Starts it, and does not wait for it. @returns whether it was started */
export async function openInBrowser(link: SeatLink, opener: Opener): Promise<boolean> {
  const address = addressOf(link, opener)
  if (address === undefined) return false
  const child = spawn(opener.program, [address], { detached: true, stdio: 'ignore' })
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
  })
  child.unref()
  return isStarted
}

/** The link itself only for a browser that reads no file, and where others who saw it could not use it. */
function addressOf({ url, openFile, peerCheck }: SeatLink, { readsFiles }: Opener): string | undefined {
  const maySee = peerCheck === 'kernel'
  if (openFile !== undefined && (readsFiles || !maySee)) return pathToFileURL(openFile).href
  return maySee ? url : undefined
}

/** Whether the browser is a program of this system that sees its files. */
async function isAtHome({ env }: Environment): Promise<boolean> {
  if (env['WSL_DISTRO_NAME'] || SNAP.test(env['BROWSER'] ?? '')) return false
  const asker = findOnPath('xdg-settings', env['PATH'])
  if (asker === undefined) return true
  const name = await new Promise<string>((resolve) => {
    const options = { env, timeout: NAME_MS }
    execFile(asker, ['get', 'default-web-browser'], options, (_error, stdout) => resolve(stdout))
  })
  return !SNAP.test(name.trim())
}
