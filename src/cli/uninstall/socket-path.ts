/**
 * Where the daemon's socket is, for what looks beside it.
 */
import { UsageError } from '../../core/errors.ts'
import { resolveSocketPath } from '../../host/config/paths.ts'
import type { CommandContext } from '../run/command-context.ts'

/** @returns undefined where no path for it will do: who looks for the daemon there says so */
export function findSocketPath({ environment, socket }: CommandContext): string | undefined {
  try {
    return resolveSocketPath(environment, socket).path
  } catch (error) {
    if (error instanceof UsageError) return undefined
    throw error
  }
}
