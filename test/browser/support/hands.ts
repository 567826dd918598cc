/**
 * What somebody does who has a keyboard and no pointer.
 */
import type { Locator, Page } from 'playwright-core'

/** How they do it. */
export interface Way {
  readonly name: string
  readonly hasSingleKeys: boolean
  /** The key that chooses what is below. */
  readonly down: string
}

/** More controls than any screen of a test has. */
const MANY = 120

const isAt = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const { activeElement } = document
    // Of a list the chosen row has no focus of its own; the list names it.
    return activeElement === element || activeElement?.getAttribute('aria-activedescendant') === element.id
  })

/** Presses Tab until a control has the focus. @throws Error where it never gets it */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  await pressUntil(page, 'Tab', control)
}

/** Goes down until a card or a row is chosen; from the end it begins at the top, as the page does. */
export async function choose(page: Page, { down }: Way, target: Locator): Promise<void> {
  if (!(await isAt(target))) await page.evaluate(leaveCards)
  await pressUntil(page, down, target)
}

/** By the keys of the table, or by the control that does the same. */
export async function act(page: Page, way: Way, keys: readonly string[], control: Locator): Promise<void> {
  if (way.hasSingleKeys) {
    for (const key of keys) await page.keyboard.press(key)
    return
  }
  await tabTo(page, control)
  await page.keyboard.press('Enter')
}

async function pressUntil(page: Page, key: string, target: Locator): Promise<void> {
  for (let presses = 0; presses < MANY; presses += 1) {
    if (await isAt(target)) return
    await page.keyboard.press(key)
  }
  throw new Error(`${key} does not lead to ${target.toString()}`)
}

/** In the page: a card that is below the focus is found only from above. */
function leaveCards(): void {
  const { activeElement } = document
  if (activeElement instanceof HTMLElement && activeElement.closest('[data-need]') !== null)
    activeElement.blur()
}
