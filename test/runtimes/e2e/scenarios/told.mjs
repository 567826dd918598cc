/** When a session is told, how often, and what a person notices of it (OP-21 … OP-24, OP-30). */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { must, times } from '../support/checks.mjs'
import { readAndEdit } from '../support/claude.mjs'
import { codexEvents, codexExec } from '../support/codex.mjs'
import { claudeStage, codexStage, withOneAtTheFile } from '../support/furnished.mjs'

/** Files that one session writes and another one never touches. */
const MANY = 6

/** What the line that counts may cost, in characters. */
const COUNT_CHARS = 400

const LOOKS = [
  ['a read', (cwd) => ({ tool: 'Read', input: { file_path: join(cwd, 'README.md') } })],
  ['a call of a server', () => ({ tool: 'agentd_roster', input: {} })],
  ['a command that fails', () => ({ tool: 'Bash', input: { command: 'exit 3', description: 'fail' } })],
]

const CODEX_LOOKS = [
  ['a command', () => ({ tool: 'exec_command', input: { cmd: 'ls' } })],
  ['a command that fails', () => ({ tool: 'exec_command', input: { cmd: 'exit 3' } })],
  ['a call of a server', () => ({ tool: 'agentd_roster', input: {} })],
]

/** A turn in which something is sent with every call, and when the model was shown it. */
function planTurn(model, looks, { cwd, send }) {
  const heard = []
  let before
  const note = (text) => {
    if (before !== undefined) heard.push([before.name, text.includes(before.word)])
  }
  for (const [index, [name, look]] of looks.entries()) {
    model.plan(async (text) => {
      note(text)
      before = { name, word: `word-${index}-of-the-turn` }
      await send(before.word)
      return look(cwd)
    })
  }
  model.plan((text) => {
    note(text)
    return { text: 'done' }
  })
  return heard
}

function mustHaveHeard(heard, looks) {
  must(heard.length === looks.length, `the turn had ${heard.length} of ${looks.length} calls`)
  for (const [name, isHeard] of heard) must(isHeard, `behind ${name} the model was told nothing`)
}

/** What a command below `src` is to change. */
function furnishSource(cwd) {
  mkdirSync(join(cwd, 'src'))
  writeFileSync(join(cwd, 'src', 'a.ts'), 'const a = 1\n')
}

/** The command has changed it, and it is announced by the path it has in the repository, and by no other. */
async function mustBeAnnouncedWhereItIs(stage, { cwd, id }) {
  must(readFileSync(join(cwd, 'src', 'a.ts'), 'utf8') === 'const a = 2\n', 'nothing was changed')
  await stage.announced(id, 'src/a.ts')
  const files = (await stage.frames('agent_advisory')).flatMap(({ frame }) => frame.payload.file_refs ?? [])
  must(
    files.every((name) => name === 'src/a.ts'),
    `announced are ${files.join(', ')}`,
  )
}

const claude = [
  {
    id: 'told.claude-code.read',
    title: 'who reads a file is told who else is at it, before it decides to edit (OP-21)',
    async run(context) {
      const parts = await claudeStage(context)
      const { second, file, told } = await withOneAtTheFile(parts)
      const [read, edit] = readAndEdit(file, 'good', 'better')
      let whenDeciding
      second.model.plan(read, (text) => {
        whenDeciding = text.includes(told)
        return edit
      })
      await second.prompt('improve it more')
      must(whenDeciding === true, 'the model decided to edit before it was told')
      const last = second.model.requests.at(-1).text
      must(times(last, told) === 1, `it was told ${times(last, told)} times`)
      // What a conflict line has shown is not told as a message as well (OP-22).
      await second.prompt('and now?')
      const all = second.model.requests.at(-1).text
      must(!/advisory: [^\n]*README\.md/.test(all), 'the notice came as a message as well')
    },
  },
  {
    id: 'told.claude-code.ask-once',
    title: 'an edit is denied once where the person wishes to be asked, and its repetition passes (OP-21)',
    async run(context) {
      const parts = await claudeStage(context)
      parts.stage.writeHome('.config/agentd/config.json', { hooks: { conflict: 'ask-once' } })
      const { second, file } = await withOneAtTheFile(parts)
      const [read, edit] = readAndEdit(file, 'good', 'better')
      let afterFirst
      second.model.plan(read, edit, (text) => {
        afterFirst = { text, content: readFileSync(file, 'utf8') }
        return edit
      })
      await second.prompt('improve it more')
      must(afterFirst.content === 'A good project.\n', 'the first try was let through')
      must(afterFirst.text.includes('to ask once before such an edit'), 'no reason was given')
      must(readFileSync(file, 'utf8') === 'A better project.\n', 'the repetition was denied as well')
    },
  },
  {
    id: 'told.claude-code.count',
    title: 'edits of files a session has not touched are one line with a number (OP-22)',
    async run(context) {
      const { stage, cwd, start } = await claudeStage(context)
      const [first, second] = [await start('first'), await start('second')]
      await second.prompt('hello')
      const files = Array.from({ length: MANY }, (_, index) => `file-${index}.md`)
      first.model.plan(
        ...files.map((name) => ({ tool: 'Write', input: { file_path: join(cwd, name), content: 'New.\n' } })),
      )
      await first.prompt('write them')
      await stage.announced(first.id, files.at(-1))
      const before = second.model.requests.at(-1).text.length
      await second.prompt('and now?')
      const all = second.model.requests.at(-1).text
      const line = all
        .split('\n')
        .find((one) => one.includes('none of them files this session has read or written'))
      must(line?.includes(`${first.address} ${MANY}`), `the line is ${line}`)
      must(!files.some((name) => all.includes(name)), 'a file is named')
      must(line.length <= COUNT_CHARS, `the line has ${line.length} characters`)
      return { chars: line.length, grownBy: all.length - before }
    },
  },
  {
    id: 'told.claude-code.every-turn',
    title: 'a turn of reads, of calls to servers and of commands that fail hears what comes (OP-23)',
    async run(context) {
      const { stage, cwd, start } = await claudeStage(context)
      const session = await start('working', ['--allowedTools', 'Bash'])
      const send = (word) => stage.tell(session.address, word)
      const heard = planTurn(session.model, LOOKS, { cwd, send })
      await session.prompt('look around')
      mustHaveHeard(heard, LOOKS)
      const last = session.model.requests.at(-1).text
      for (const [index] of LOOKS.entries())
        must(times(last, `word-${index}-of-the-turn`) === 1, 'a message was shown more than once')
    },
  },
  {
    id: 'told.claude-code.directory',
    title: 'what a command writes below a directory that it goes to is announced where it is (OP-24)',
    async run(context) {
      const { stage, cwd, start } = await claudeStage(context)
      furnishSource(cwd)
      const session = await start('working', ['--allowedTools', 'Bash'])
      session.model.plan({
        tool: 'Bash',
        input: { command: "cd src && sed -i 's/1/2/' a.ts", description: 'change it' },
      })
      await session.prompt('change it')
      await mustBeAnnouncedWhereItIs(stage, { cwd, id: session.id })
    },
  },
  {
    id: 'told.claude-code.stop',
    title: 'a question at the end of a turn makes it go on, and the person is told of no problem (OP-30)',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('working')
      session.model.plan(async () => {
        await stage.query(session.address, 'Are you done?')
        return { text: 'nearly' }
      })
      await session.prompt('hello')
      await session.model.heard('Are you done?')
      await session.event('Stop', 1)
      const screen = session.screen()
      // Apart from the line that says what runs at the moment.
      const told = /.{0,80}stop hook (?!s).{0,200}/is.exec(screen.replaceAll(/running stop hooks?…/gi, ''))
      must(told === null, `the person reads: ${told?.[0]}`)
      must(!/hook (?:error|reported|fail)/i.test(screen), 'the person reads of a hook')
      const ours = JSON.parse(stage.readHome('.claude/settings.json')).hooks.PreCompact ?? []
      must(!JSON.stringify(ours).includes('agentd-hook'), 'there is a hook line for PreCompact')
      return { stops: session.events('Stop').length }
    },
  },
].map((scenario) => ({ ...scenario, runtime: 'claude-code', needs: ['claude-code'] }))

const codex = [
  {
    id: 'told.codex.every-turn',
    title: 'a turn of commands, of those that fail and of calls to servers hears what comes (OP-23)',
    async run(context) {
      const { stage, cwd, model } = await codexStage(context)
      const send = async (word) => stage.tell((await stage.someone()).address, word)
      const heard = planTurn(model, CODEX_LOOKS, { cwd, send })
      const done = await codexExec(stage, { cwd, actor: 'codex', prompt: 'look around' })
      must(done.code === 0, done.err)
      mustHaveHeard(heard, CODEX_LOOKS)
    },
  },
  {
    id: 'told.codex.directory',
    title: 'what a command writes below a directory that it goes to is announced where it is (OP-24)',
    async run(context) {
      const { stage, cwd, model } = await codexStage(context)
      furnishSource(cwd)
      model.plan({ tool: 'exec_command', input: { cmd: "cd src && sed -i 's/1/2/' a.ts" } })
      const done = await codexExec(stage, { cwd, actor: 'codex', prompt: 'change it' })
      must(done.code === 0, done.err)
      await mustBeAnnouncedWhereItIs(stage, { cwd, id: codexEvents(stage, 'codex')[0].session_id })
    },
  },
].map((scenario) => ({ ...scenario, runtime: 'codex', needs: ['codex'] }))

/** What all of them are about. */
export const scenarios = [...claude, ...codex].map((scenario) => ({ ...scenario, capability: 'told' }))
