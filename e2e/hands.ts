import { expect, type Locator, type Page } from 'playwright/test'

/** How a person works a page. */
export interface Hands {
  /** Clicks, taps, or goes there by Tab and presses Enter. */
  press(target: Locator): Promise<void>
  write(field: Locator, text: string): Promise<void>
  choose(select: Locator, label: string): Promise<void>
}

export const mouse: Hands = {
  press: (target) => target.click(),
  write: (field, text) => field.fill(text),
  choose: async (select, label) => {
    await select.selectOption({ label })
  },
}

export const finger: Hands = { ...mouse, press: (target) => target.tap() }

export const keyboard: Hands = {
  async press(target) {
    await tabTo(target)
    await target.page().keyboard.press('Enter')
  },
  async write(field, text) {
    await tabTo(field)
    await field.page().keyboard.insertText(text)
  },
  async choose(select, label) {
    await tabTo(select)
    const options = await select.locator('option').count()
    for (let step = 0; step < options; step += 1) {
      if ((await select.evaluate(chosenLabel)) === label) return
      await select.page().keyboard.press('ArrowDown')
    }
    throw new Error(`There is no option ${label}`)
  },
}

export const buttonOf = (place: Page | Locator, name: string | RegExp): Locator =>
  place.getByRole('button', { name })

/** More than the controls of any page here. */
const MAX_TABS = 200

/** Walks by Tab from where the focus is. Fails where Tab never comes, or where one would not see the focus. */
async function tabTo(target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    if (await isFocused(target)) return expectVisibleFocus(target.page())
    await target.page().keyboard.press('Tab')
  }
  throw new Error(`Tab never reaches ${target}`)
}

const chosenLabel = (select: HTMLElement): string | undefined =>
  (select as HTMLSelectElement).selectedOptions[0]?.label

function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === element.ownerDocument.activeElement)
}

/** The ring is around the control or around the frame it stands in. */
async function expectVisibleFocus(page: Page): Promise<void> {
  const hasRing = await page.locator(':focus').evaluate((element) => {
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const { outlineStyle, outlineWidth } = getComputedStyle(at)
      if (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2) return true
    }
    return false
  })
  expect(hasRing, 'the focus can be seen').toBe(true)
}

/** Pastes as a browser does, by types: what no script takes goes into the text. */
export function paste(field: Locator, data: Record<string, string>): Promise<void> {
  return field.evaluate((element, types) => {
    const clipboardData = new DataTransfer()
    for (const [type, text] of Object.entries(types)) clipboardData.setData(type, text)
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    if (!element.dispatchEvent(event) || !(element instanceof HTMLTextAreaElement)) return
    element.setRangeText(types['text/plain'] ?? '', element.selectionStart, element.selectionEnd, 'end')
    element.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }, data)
}
