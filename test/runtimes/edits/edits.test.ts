/**
 * Which files a tool writes.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editedFiles } from '../../../src/runtimes/edits/edits.ts'
import { patchedFiles } from '../../../src/runtimes/edits/patch.ts'
import { shellPatch } from '../../../src/runtimes/edits/shell-patch.ts'
import { readShellRun } from '../../../src/runtimes/edits/shell-writes.ts'
import { FIXTURES, eventOf } from '../support/fixtures.ts'

const writesOf = (line: string) => readShellRun(line).files
const use = (name: string, input: object) => editedFiles({ name, input: { ...input }, response: undefined })

describe('tools', () => {
  test.for(FIXTURES.filter(({ name }) => name === 'before-tool' || name === 'after-edit'))(
    '$runtime $name names its file',
    ({ payload, runtime }) => {
      const tool = eventOf(payload, runtime)?.tool

      expect(tool && editedFiles(tool)).toEqual([expect.stringMatching(/(?:^|\/)src\/auth\.ts$/)])
    },
  )

  test.for(FIXTURES.filter(({ name }) => name === 'after-tool'))(
    '$runtime $name writes nothing',
    ({ payload, runtime }) => {
      const tool = eventOf(payload, runtime)?.tool

      expect(tool && editedFiles(tool)).toEqual([])
    },
  )

  test('a tool that looks is not one that writes', () => {
    expect(use('Read', { file_path: 'a' })).toEqual([])
    expect(use('str_replace_editor', { command: 'view', path: 'a' })).toEqual([])
    expect(use('str_replace_editor', { command: 'str_replace', path: 'a' })).toEqual(['a'])
    expect(use('mcp__files__write', { path: 'a' })).toEqual([])
  })

  test('several changes name several files, each once', () => {
    const replacements = [{ filePath: 'a' }, { filePath: 'b' }, { filePath: 'a' }, 7, null]

    expect(
      editedFiles({ name: 'multi_replace_string_in_file', input: { replacements }, response: undefined }),
    ).toEqual(['a', 'b'])
  })

  test('a patch names what it updates, adds, deletes and moves', () => {
    const patch = [
      '*** Begin Patch',
      '*** Update File: src/a.ts',
      '*** Move to: src/b.ts',
      '+*** Update File: not-a-header.ts',
      '*** Add File: new file.ts',
      '*** Delete File: old.ts',
      '*** End Patch',
      '*** Update File: behind.ts',
    ].join('\n')

    expect(patchedFiles(patch)).toEqual(['src/a.ts', 'src/b.ts', 'new file.ts', 'old.ts'])
    expect(
      editedFiles({
        name: 'Bash',
        input: { command: `apply_patch <<'EOF'\n${patch}\nEOF` },
        response: undefined,
      }),
    ).toEqual(['src/a.ts', 'src/b.ts', 'new file.ts', 'old.ts'])
  })
})

describe('a patch that a shell command applies by itself', () => {
  const patch = '*** Begin Patch\n*** Update File: a.ts\n*** End Patch'

  test.for([
    [`apply_patch <<'EOF'\n${patch}\nEOF`, 'a.ts'],
    [`applypatch '${patch}'`, 'a.ts'],
    [`cd pkg && apply_patch <<EOF\n${patch}\nEOF`, 'pkg/a.ts'],
    [`cd '/a b/c' && apply_patch <<EOF\n${patch}\nEOF`, '/a b/c/a.ts'],
  ] as const)('%s', ([command, file]) => {
    expect(shellPatch(command)).toEqual([file])
    expect(use('Bash', { command })).toEqual([file])
  })

  test.for([
    `make && apply_patch <<EOF\n${patch}\nEOF`,
    `cat > notes.md <<EOF\n${patch}\nEOF`,
    `cd $DIR && apply_patch <<EOF\n${patch}\nEOF`,
    'apply_patch < fix.patch',
  ])('not %s', (command) => {
    expect(shellPatch(command)).toBeUndefined()
  })
})

describe('lines of shell', () => {
  test.for([
    ['echo hi > a.txt', ['a.txt']],
    ['echo hi >> a.txt', ['a.txt']],
    ['echo hi >| a.txt; date 1> b', ['a.txt', 'b']],
    ['make &> build.log', ['build.log']],
    ['FOO=1 node gen.js > out.json', ['out.json']],
    ["cat > 'a b.ts' <<'EOF'\n$(ignored) `too`\nEOF\necho x >> c", ['a b.ts', 'c']],
    ['cat <<-END > a\n\tx\n\tEND', ['a']],
    ['date | tee -a log.txt', ['log.txt']],
    ["sed -i 's/a/b/' x.ts y.ts", ['x.ts', 'y.ts']],
    ["sed -i.bak -e 's/a/b/' x.ts", ['x.ts']],
    ["sed -i '' 's/a/b/' x.ts", ['x.ts']],
    ['mv a b', ['a', 'b']],
    ['mv a dir/', ['a', 'dir/a']],
    ['cp a b', ['b']],
    ['rm -f a b', ['a', 'b']],
    ['git mv a b && git rm c', ['a', 'b', 'c']],
    ['cd pkg && echo x > a && cd sub; echo y > b', ['pkg/a', 'pkg/sub/b']],
    ['cd pkg && echo x > /abs', ['/abs']],
    ['echo "it is $HOME" > a # > b', ['a']],
    ['echo \\> b > a', ['a']],
    ['echo x > a\\ b', ['a b']],
  ] as const)('%s', ([line, files]) => {
    expect(writesOf(line)).toEqual(files)
  })

  test.for([
    'echo hi',
    'cat < a',
    'ls 2>/dev/null',
    'ls > /dev/null 2>&1',
    'make 2> errors',
    'echo x > $FILE',
    'echo x > "$DIR/a"',
    'echo x > ~/a',
    'rm *.log',
    'rm -rf dist',
    'rm -r dist',
    'cp -r a b',
    'mv a b c',
    "sed 's/a/b/' x",
    "sed -n '1p' x",
    'sed -i .bak s/a/b/ x',
    'git apply fix.patch',
    'git rm --cached a',
    'git checkout -- a',
    'patch -p1 < a',
    'echo x > $(mktemp)',
    'echo `date` > a',
    'for f in *; do echo x > a; done',
    'if true; then echo x > a; fi',
    '(cd a && echo x > b)',
    'test -f a || echo x > a',
    'cd $DIR && echo x > a',
    'cd a | echo x > b',
    'cd - && echo x > a',
    "echo 'unterminated > a",
    'cat > a <<EOF\nno end',
    'echo x >',
    'eval "echo x > a"',
    '$EDITOR > a',
    '',
  ])('%s is not taken', (line) => {
    expect(writesOf(line)).toEqual([])
  })

  test('whatever the line, it is read, and names nothing that does not stand in it', () => {
    const words = fc.constantFrom(
      'echo',
      'cat',
      'sed',
      '-i',
      'a',
      'b/c',
      '>',
      '>>',
      '|',
      '&&',
      ';',
      '\n',
      '<<',
      'E',
      "'",
      '"',
      '$',
      '(',
      ')',
      '`',
      '\\',
      '#',
      '~',
      '*',
      'cd',
      'mv',
      'rm',
      '2>&1',
    )
    const lines = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(words, { maxLength: 40 }).map((parts) => parts.join(' ')),
      fc.array(words, { maxLength: 40 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(lines, (line) => {
        for (const path of writesOf(line)) {
          const [last = ''] = path.split('/').slice(-1)
          // Quotes go, and so does a line break behind a backslash, which a shell takes for none.
          expect(line.replaceAll(/[\\'"\n]/g, '')).toContain(last.replaceAll(/[\\'"\n]/g, ''))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('a name goes on behind a line break that is escaped, as in a shell', () => {
    expect(writesOf('echo hi >>no\\\ntes')).toEqual(['notes'])
  })

  test('a long line costs what it is long', () => {
    expect(writesOf('echo x > a; '.repeat(80_000))).toEqual(['a'])
    expect(writesOf(`cat > a <<E\n${'x\n'.repeat(200_000)}E`)).toEqual(['a'])
    expect(writesOf(`echo ${'"'.repeat(200_001)}`)).toEqual([])
  })
})
