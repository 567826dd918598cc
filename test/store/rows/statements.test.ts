/** How statements of the store are written. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const STORE = new URL('../../../src/store/', import.meta.url).pathname

/** A variable that SQLite looks at while it plans: it plans anew whenever one is bound. */
const BARE_LIMIT = /LIMIT [?@:$]\w*(?! \+ 0)(?!\w)/

test('no statement of the store has SQLite plan it anew each time it is run (E-01, E-03)', () => {
  const files = readdirSync(STORE, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const limits = files.flatMap((name) => readFileSync(join(STORE, name), 'utf8').match(/LIMIT \?.*/g) ?? [])
  expect(limits.length).toBeGreaterThan(10)
  expect(limits.filter((text) => BARE_LIMIT.test(text))).toEqual([])
})
