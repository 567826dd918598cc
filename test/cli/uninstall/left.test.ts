/**
 * The commands that take away what `agentd uninstall` leaves; that they do, test/package/everywhere.mjs tries.
 */
import { expect, test } from 'vitest'
import { removalCommands } from '../../../src/cli/uninstall/left.ts'

test.each([
  ['/usr/local/lib/node_modules/agentd-bus', '--prefix /usr/local '],
  ["/home/it's mine/lib/node_modules/agentd-bus", String.raw`--prefix '/home/it'\''s mine' `],
  ['/lib/node_modules/agentd-bus', '--prefix / '],
  // A checkout, and what no prefix has: nobody knows by the path what npm calls it.
  ['/home/a/agentd', ''],
  ['/home/a/site/node_modules/agentd-bus', ''],
  ['/home/a/lib/node_modules/agentd-bus/node_modules/deeper/agentd-bus', ''],
])('a program at %s is removed from where npm has put it', (root, where) => {
  expect(removalCommands([], root)).toEqual([`npm uninstall --global ${where}agentd-bus`])
})

test('folders that others use as well are not removed with the program', () => {
  const folder = { holds: 'messages', bytes: 1 }
  const left = [
    { ...folder, path: '/home/a b/.agentd', isOwn: true },
    { ...folder, path: '/home/a', isOwn: false },
  ]

  expect(removalCommands(left, '/opt/agentd')).toEqual([
    "rm -rf '/home/a b/.agentd'",
    'npm uninstall --global agentd-bus',
  ])
})
