/**
 * Which file a program's name stands for.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first program of that name. @param path - the value of `PATH` */
export function findOnPath(name: string, path = ''): string | undefined {
  const places = path.split(delimiter).filter((folder) => folder !== '')
  return places.map((folder) => join(folder, name)).find(isProgram)
}

/** Whether a path leads to a file that may be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
