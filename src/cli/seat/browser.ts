/**
 * Opening a page in the person's own browser, by the program that each system has for it.
 *
 * @see SEAT-15
 */
import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Environment } from '../../host/config/paths.ts'
import type { SeatLink } from './reach-seat.ts'

/** Programs that open an address, by system; the first that is there does. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  linux: ['xdg-open', 'wslview'],
}

/** What says that there is a screen. */
const SCREENS = ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME', 'BROWSER']

/**
 * Starts it, and does not wait for it.
 *
 * @returns false where there is no screen, or nothing that opens a page on it: the link is then the way
 */
export async function openInBrowser(link: SeatLink, environment: Environment): Promise<boolean> {
  const { env, platform } = environment
  if (platform !== 'darwin' && !SCREENS.some((name) => env[name])) return false
  const program = (OPENERS[platform] ?? []).map((name) => findProgram(name, env['PATH'])).find(Boolean)
  if (program === undefined) return false
  // Other users can read the arguments of a program: a link may stand there only where they could not use it.
  const address = link.openFile === undefined ? link.url : pathToFileURL(link.openFile).href
  const child = spawn(program, [address], { detached: true, stdio: 'ignore' })
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
  })
  child.unref()
  return isStarted
}

function findProgram(name: string, path = ''): string | undefined {
  const places = path.split(delimiter).filter((folder) => folder !== '')
  return places
    .map((folder) => join(folder, name))
    .find((place) => {
      try {
        accessSync(place, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}
