/**
 * The folders of intent schemas (AEE-067): real ones.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { chown, chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readIntentFiles, watchFolders } from '../../../src/host/aee/intent-files.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { Changes } from '../../support/within.ts'
import { bundleProgram, runProgram } from '../child-program.ts'
import { FOREIGN_UID, ownUid } from '../surroundings.ts'
import { runsAsRoot } from '../../support/needs.ts'

/** Watches until the end of the scope, and counts. */
function watching(folders: readonly string[]) {
  const changes = new Changes()
  const faults: string[] = []
  let count = 0
  const stop = watchFolders(
    folders,
    () => {
      count += 1
      changes.tell()
    },
    (fault) => {
      faults.push(fault)
      changes.tell()
    },
  )
  return {
    stop,
    faults,
    count: () => count,
    calls: (wanted: number) => changes.until(() => (count >= wanted ? count : undefined), `call ${wanted}`),
    [Symbol.dispose]: stop,
  }
}

describe('reading', () => {
  test('the schemas of the folders come by name, folder by folder, and nothing else does', async () => {
    await using dir = await createTempDir()
    await mkdir(dir.file('a'))
    await mkdir(dir.file('b'))
    for (const name of ['b/a.task.schema.json', 'a/z.task.schema.json', 'a/b.result.schema.json'])
      await writeFile(dir.file(name), name)
    for (const name of ['a/README.md', 'a/x.task.schema.json.swp', 'a/other.json'])
      await writeFile(dir.file(name), '')

    expect(readIntentFiles([dir.file('a'), dir.file('b')], ownUid)).toEqual({
      files: [
        { name: 'b.result.schema.json', text: 'a/b.result.schema.json' },
        { name: 'z.task.schema.json', text: 'a/z.task.schema.json' },
        { name: 'a.task.schema.json', text: 'b/a.task.schema.json' },
      ],
      refused: [],
      faults: [],
    })
  })

  test('no folder is no fault', () => {
    expect(readIntentFiles([], ownUid)).toEqual({ files: [], refused: [], faults: [] })
  })

  test('the intents of a folder are read with it, as the repository is laid out (AEE-067)', async () => {
    await using dir = await createTempDir()
    for (const folder of ['both/intents', 'envelope', 'inner/intents']) {
      await mkdir(dir.file(folder), { recursive: true })
    }
    for (const path of ['both/b.task.schema.json', 'both/intents/a.task.schema.json'])
      await writeFile(dir.file(path), path)
    await writeFile(dir.file('inner/intents/c.task.schema.json'), 'c')

    expect(readIntentFiles([dir.file('both'), dir.file('inner')], ownUid)).toEqual({
      files: [
        { name: 'b.task.schema.json', text: 'both/b.task.schema.json' },
        { name: 'a.task.schema.json', text: 'both/intents/a.task.schema.json' },
        { name: 'c.task.schema.json', text: 'c' },
      ],
      refused: [],
      faults: [],
    })
  })

  test('a folder without any schema is a sentence, whatever else it holds', async () => {
    await using dir = await createTempDir()
    await mkdir(dir.file('empty'))
    await mkdir(dir.file('hollow/intents'), { recursive: true })
    await mkdir(dir.file('other'))
    await writeFile(dir.file('other/intents'), 'a file')
    const folders = [dir.file('empty'), dir.file('hollow'), dir.file('other')]

    expect(readIntentFiles(folders, ownUid).faults).toEqual(
      folders.map((folder) => `The folder of intents ${folder} holds no <intent>.<variant>.schema.json.`),
    )
  })

  test('a folder that is not there, is a file, or is not named in full is a sentence, and the others are read', async () => {
    await using dir = await createTempDir()
    await writeFile(dir.file('x.task.schema.json'), '{}')
    const file = dir.file('x.task.schema.json')

    const { files, faults } = readIntentFiles(
      [dir.file('none'), file, 'relative/\u001b[31m', dir.path],
      ownUid,
    )

    expect(files).toEqual([{ name: 'x.task.schema.json', text: '{}' }])
    expect(faults).toEqual([
      `The folder of intents ${dir.file('none')} cannot be read: it is not there.`,
      `The folder of intents ${file} cannot be read: ENOTDIR.`,
      'The folder of intents relative/[31m must be an absolute path.',
    ])
  })

  test('what is no file of ours alone is a sentence, and the others are read', async () => {
    await using dir = await createTempDir()
    const folder = dir.file('intents')
    await mkdir(folder)
    await writeFile(join(folder, 'good.task.schema.json'), '{}')
    await writeFile(join(folder, 'loose.task.schema.json'), '{}')
    await chmod(join(folder, 'loose.task.schema.json'), 0o622)
    await writeFile(join(folder, 'large.task.schema.json'), ' '.repeat(262_145))
    await mkdir(join(folder, 'folder.task.schema.json'))
    await symlink(dir.file('none'), join(folder, 'dangling.task.schema.json'))

    const { files, refused, faults } = readIntentFiles([folder], ownUid)

    expect(files).toEqual([{ name: 'good.task.schema.json', text: '{}' }])
    expect(refused).toEqual(
      ['dangling', 'folder', 'large', 'loose'].map((name) => `${name}.task.schema.json`),
    )
    expect(faults).toEqual([
      `The intent schema ${folder}/dangling.task.schema.json is refused: it leads nowhere.`,
      `The intent schema ${folder}/folder.task.schema.json is refused: it is not a regular file.`,
      `The intent schema ${folder}/large.task.schema.json is refused: it is larger than 262144 bytes.`,
      `The intent schema ${folder}/loose.task.schema.json is refused: others may write it; run chmod go-w on it.`,
    ])
  })

  test('a link is followed to a file of ours', async () => {
    await using dir = await createTempDir()
    await mkdir(dir.file('intents'))
    await writeFile(dir.file('kept-elsewhere.json'), '{"a":1}')
    await symlink(dir.file('kept-elsewhere.json'), dir.file('intents', 'x.task.schema.json'))
    await symlink(dir.file('intents'), dir.file('linked'))

    expect(readIntentFiles([dir.file('linked')], ownUid)).toEqual({
      files: [{ name: 'x.task.schema.json', text: '{"a":1}' }],
      refused: [],
      faults: [],
    })
  })

  test.runIf(runsAsRoot())('a link is not followed to the file of somebody else', async () => {
    await using dir = await createTempDir()
    await mkdir(dir.file('intents'))
    await writeFile(dir.file('theirs.json'), '{}')
    await chown(dir.file('theirs.json'), FOREIGN_UID, FOREIGN_UID)
    await symlink(dir.file('theirs.json'), dir.file('intents', 'x.task.schema.json'))

    const { files, faults } = readIntentFiles([dir.file('intents')], ownUid)

    expect(files).toEqual([])
    expect(faults).toEqual([expect.stringContaining(`it belongs to uid ${FOREIGN_UID}`)])
  })

  test('there are only so many files, over all folders, and only so many folders', async () => {
    await using dir = await createTempDir()
    for (const folder of ['a', 'b']) await mkdir(dir.file(folder))
    await Promise.all(
      Array.from({ length: 1_001 }, (_, at) =>
        writeFile(dir.file(at < 500 ? 'a' : 'b', `x${at}.task.schema.json`), '{}'),
      ),
    )
    const empty = Array.from({ length: 33 }, () => dir.file('none'))

    const { files, faults } = readIntentFiles([dir.file('a'), dir.file('b')], ownUid)

    expect(files).toHaveLength(1_000)
    expect(faults).toEqual([`Only 1000 intent schemas are read; the rest of ${dir.file('b')} is not.`])
    expect(readIntentFiles(empty, ownUid).faults).toHaveLength(1 + 32)
  })

  test('only so many entries of a folder are looked at, whatever they are', async () => {
    await using dir = await createTempDir()
    writeFileSync(dir.file('x.task.schema.json'), '{}')
    for (let at = 1; at < 10_000; at += 1) writeFileSync(dir.file(`${at}`), '')
    expect(readIntentFiles([dir.path], ownUid).faults).toEqual([])

    writeFileSync(dir.file('10000'), '')

    // Which of them are looked at is the file system's choice: the schema may be the one that is not.
    expect(readIntentFiles([dir.path], ownUid).faults).toEqual([
      `Only 10000 entries of the folder of intents ${dir.path} are looked at.`,
    ])
  })
})

describe('watching', () => {
  test('schemas that come, change and go are told, many at once in one call', async () => {
    await using dir = await createTempDir()
    using watched = watching([dir.path])
    const names = Array.from({ length: 20 }, (_, at) => dir.file(`x${at}.task.schema.json`))

    for (const name of names) writeFileSync(name, '{}')
    const afterWriting = await watched.calls(1)
    writeFileSync(names[0] ?? '', '{"type":"object"}')
    const afterChange = await watched.calls(2)
    rmSync(names[0] ?? '')

    expect([afterWriting, afterChange, await watched.calls(3)]).toEqual([1, 2, 3])
    expect(watched.faults).toEqual([])
  })

  test('a change in any of the folders is told, and one that is not there takes nothing from the others', async () => {
    await using dir = await createTempDir()
    await mkdir(dir.file('a'))
    await mkdir(dir.file('b'))
    using watched = watching([dir.file('none'), dir.file('a'), dir.file('b')])

    await writeFile(dir.file('b', 'x.task.schema.json'), '{}')
    await watched.calls(1)
    await writeFile(dir.file('a', 'x.task.schema.json'), '{}')
    await watched.calls(2)

    expect(watched.faults).toEqual([
      `The folder of intents ${dir.file('none')} cannot be watched: it is not there.`,
    ])
  })

  test('the intents of a folder are watched too, from when they come (AEE-067)', async () => {
    await using dir = await createTempDir()
    using watched = watching([dir.path])

    await mkdir(dir.file('intents'))
    await watched.calls(1)
    await writeFile(dir.file('intents', 'x.task.schema.json'), '{}')
    await watched.calls(2)
    watched.stop()

    expect(watched.faults).toEqual([])
  })

  test('other files, and changes after the end, are not told', async () => {
    await using dir = await createTempDir()
    await mkdir(dir.file('a'))
    using stopped = watching([dir.file('a')])
    using deaf = watching([dir.file('a')])
    await mkdir(dir.file('b'))
    using fence = watching([dir.file('b')])

    await writeFile(dir.file('a', 'notes.md'), 'x')
    stopped.stop()
    stopped.stop()
    await writeFile(dir.file('b', 'x.task.schema.json'), '{}')
    await fence.calls(1)
    expect(deaf.count()).toBe(0)

    // Whoever listens hears this; it was later than anything that the stopped one could have heard.
    await writeFile(dir.file('a', 'x.task.schema.json'), '{}')
    await deaf.calls(1)
    expect(stopped.count()).toBe(0)
  })

  test('an end that comes while changes settle is the end', async () => {
    await using dir = await createTempDir()
    using other = watching([dir.path])
    using stopped = watching([dir.path])

    await writeFile(dir.file('x.task.schema.json'), '{}')
    stopped.stop()
    await other.calls(1)

    expect(stopped.count()).toBe(0)
  })

  test('a folder that goes away is told', async () => {
    await using dir = await createTempDir()
    await mkdir(dir.file('a'))
    using watched = watching([dir.file('a')])

    await rm(dir.file('a'), { recursive: true })

    expect(await watched.calls(1)).toBe(1)
  })

  test('a process that only watches ends', async () => {
    await using dir = await createTempDir()
    await using program = await bundleProgram(`
      import { writeFileSync } from 'node:fs'
      import { watchFolders } from '#host/aee/intent-files.ts'
      watchFolders([${JSON.stringify(dir.path)}], () => {})
      writeFileSync(${JSON.stringify(dir.file('x.task.schema.json'))}, '{}')
      console.log('watching')
    `)
    await using running = runProgram(program)

    expect(await running.nextLine()).toBe('watching')
    expect(await running.nextLine()).toBeUndefined()
  })
})
