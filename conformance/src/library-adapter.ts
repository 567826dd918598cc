/**
 * An implementation as an ESM module: a function for each operation, by its name, that takes the question and gives the
 * answer or a promise of it. An operation without a function is one the implementation has not.
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AdapterError, UNSUPPORTED, type Adapter } from './adapter.ts'
import { isJsonObject } from './json.ts'

/** The name of an operation's function: `filter-match` is `filterMatch`. */
export function functionName(op: string): string {
  return op.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** @throws AdapterError when there is no such module, or it exports no function */
export async function openLibrary(path: string): Promise<Adapter> {
  const module = await load(path)
  return {
    ask: async (question) => {
      const answerer = module.get(functionName(question.op))
      if (answerer === undefined) return UNSUPPORTED
      const answer: unknown = await Reflect.apply(answerer, undefined, [question])
      if (isJsonObject(answer)) return answer
      throw new AdapterError(`${functionName(question.op)} answers ${String(answer)}`)
    },
    close: () => Promise.resolve(),
  }
}

async function load(path: string): Promise<ReadonlyMap<string, (...questions: unknown[]) => unknown>> {
  const loaded: unknown = await import(pathToFileURL(resolve(path)).href)
  // A namespace of a module is an object without a prototype.
  const entries = Object.entries(isJsonObject(loaded) ? loaded : {})
  const functions = new Map(
    entries.flatMap(([name, value]: [string, unknown]) =>
      isFunction(value) ? [[name, value] as const] : [],
    ),
  )
  if (functions.size === 0) throw new AdapterError(`${path} exports no function`)
  return functions
}

function isFunction(value: unknown): value is (...questions: unknown[]) => unknown {
  return typeof value === 'function'
}
