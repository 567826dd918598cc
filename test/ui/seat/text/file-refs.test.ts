import { expect, test } from 'vitest'
import { editorHref, editorPath, fileRefsOf } from '../../../../src/ui/seat/text/file-refs.ts'

test.for([
  [{ file_refs: ['src/a.ts', 'src/b.ts', 'src/a.ts'] }, ['src/a.ts', 'src/b.ts']],
  [{ pointer_refs: ['/w/plan.md'] }, ['/w/plan.md']],
  [{ substrate_refs: ['log:7'], refs: ['src/c.ts'] }, ['log:7', 'src/c.ts']],
  [{ resource: 'src/auth.ts' }, ['src/auth.ts']],
  [{ file_refs: [7, '', null], resource: 7 }, []],
  ['no payload', []],
] as const)('a payload of %j names the files %j (SEAT-29)', ([payload, files]) => {
  expect(fileRefsOf({ payload })).toEqual(files)
})

test('of thousands of files the first ninety-nine are offered (ACQ-14)', () => {
  const files = Array.from({ length: 5_000 }, (_, i) => `f${i}`)

  expect(fileRefsOf({ payload: { file_refs: files } })).toEqual(files.slice(0, 99))
})

test.for([
  ['src/a b.ts', 'src/a b.ts', null],
  ['./src/a.ts:12', 'src/a.ts', '12'],
  ['file:///w/a.ts:12:3', '/w/a.ts', '12'],
  ['src/a:b.ts', 'src/a:b.ts', null],
  ['a&file=/etc/passwd#x', 'a&file=/etc/passwd#x', null],
  ['a\nb:3', 'a\nb', '3'],
] as const)('"%s" is asked for as the file "%s" in line %s (SEAT-29)', ([named, file, line]) => {
  const { pathname, searchParams } = new URL(editorPath(named, '~alice/cc@s1'), 'http://127.0.0.1')

  expect([pathname, ...['address', 'file', 'line'].map((name) => searchParams.get(name))]).toEqual([
    '/editor',
    '~alice/cc@s1',
    file,
    line,
  ])
})

test.for([
  ['vscode://file/w/a.ts:12', true],
  ['cursor://file/w/a.ts', true],
  ['vscode://extension/run', false],
  ['javascript:alert(1)//vscode://file/', false],
  ['https://evil.example/vscode://file/', false],
  [7, false],
] as const)('an answer of %s is an address to follow: %s (SEAT-29)', ([href, isOne]) => {
  expect(editorHref({ href }) === href).toBe(isOne)
})
