/**
 * Whatever a test has a command print with `--json`, it is held to the published schema of that command (docs/json.md).
 */
import { OUTPUTS, findCliSchema } from '../../src/cli/published/outputs.ts'
import { strictAjv, publishedSchema } from '../support/published.ts'

/** Compiled once each, and only where something is printed for a program. */
const compiled = new Map<string, ReturnType<ReturnType<typeof strictAjv>['compile']>>()

/** @throws Error for a line on stdout that none of the command's schemas admits, and for a line on stderr that is no `cli-error` */
export function holdToSchema(
  args: readonly string[],
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): void {
  const end = args.indexOf('--')
  const words = end === -1 ? args : args.slice(0, end)
  if (!words.includes('--json') || words.includes('--help')) return
  const command = commandOf(words)
  if (command === undefined) return
  for (const line of linesOf(stdout)) hold(command, OUTPUTS[command] ?? [], line)
  for (const line of linesOf(stderr).filter((one) => one.startsWith('{"code"')))
    hold(command, ['cli-error'], line)
}

/** The command that the words call, by its longest path; undefined for what is none. */
export function commandOf(words: readonly string[]): string | undefined {
  const names = words.filter((word) => !word.startsWith('-'))
  const paths = names.flatMap((_, from) =>
    [3, 2, 1].map((length) => names.slice(from, from + length).join(' ')),
  )
  return paths.find((path) => Object.hasOwn(OUTPUTS, path))
}

function hold(command: string, schemas: readonly string[], line: string): void {
  const value: unknown = JSON.parse(line)
  const faults = schemas.map((name) => {
    const validate = validatorOf(name)
    return validate(value) ? undefined : `${name}: ${JSON.stringify(validate.errors?.slice(0, 3))}`
  })
  if (faults.includes(undefined)) return
  throw new Error(
    `"agentd ${command} --json" printed what is none of ${schemas.join(', ')}:\n${line}\n${faults.join('\n')}`,
  )
}

function validatorOf(name: string): ReturnType<ReturnType<typeof strictAjv>['compile']> {
  const known = compiled.get(name) ?? strictAjv().compile(findCliSchema(name) ?? publishedSchema(name))
  compiled.set(name, known)
  return known
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '')
}
