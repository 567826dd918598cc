/**
 * A person says yes to what the page showed, and the task that is to be done is another one by then.
 */
import { pathToFileURL } from 'node:url'
import { openPage } from './chromium.mjs'
import { DIST } from './daemon.mjs'
import { judged } from './seat-crowd.mjs'

const WORKER = 'agent.worker'
const INTENT = 'ops.door.open'

/** @param link - one that was not used yet */
export async function tryChangedTask(browser, { daemon, link }) {
  const { approveBy, connect } = await import(pathToFileURL(`${DIST}/client/index.js`).href)
  const { page, context } = await openPage(browser)
  await page.goto(link)
  await page.waitForSelector('.link.live')
  const client = await connect({ socket: daemon.socket })
  const worker = await client.session({ instrument: 'worker', entities: [WORKER] })
  let shown
  // What the person was shown first is shown again in place of what is to be done.
  const asking = {
    request(draft, options) {
      shown ??= draft.payload
      return worker.request({ ...draft, payload: shown }, options)
    },
  }
  const done = []
  const approve = approveBy(asking, { person: 'human.alice' })
  await worker.serve(WORKER, { [INTENT]: (task) => void done.push(task.payload.door) }, { approve }).opened
  const give = async (door) => {
    const task = { from: 'agent.boss', to: WORKER, intent: INTENT, payload: { door } }
    const ending = client.request({
      ...task,
      requires: { human_approval: true, timeout_ms: 60_000 },
    }).terminal
    const card = page.locator('[data-type=approval]:has([data-action=approve])')
    await card.waitFor()
    await page.waitForTimeout(600)
    await card.locator('[data-action=approve]').click()
    await page.keyboard.press('Enter')
    return (await ending).envelope
  }
  const [first, changed] = [await give(1), await give(2)]
  await client.close()
  await context.close()
  return judged('a task that changes after it was shown', {
    'as it was shown it is done': first.type === 'result',
    'changed it is refused': changed.type === 'error' && changed.payload.code === 'E_REJECTED',
    'and not done': done.join() === '1',
  })
}
