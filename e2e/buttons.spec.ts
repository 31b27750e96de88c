import type { Locator } from 'playwright/test'
import { expect, test } from './forum.ts'

const KINDS = ['button', 'button primary', 'button danger', 'button small primary', 'quiet', 'icon-button']
const MARKS = ['data-plain', 'aria-disabled="true"', 'aria-pressed="true"']
/** What WCAG 1.4.3 asks of text. */
const LEAST = 4.5

for (const colorScheme of ['light', 'dark'] as const)
  test.describe(`in the ${colorScheme} theme`, () => {
    test.use({ colorScheme })

    test('each button can be read at rest, hovered, in focus, pressed, while it is sent', async ({
      page,
    }) => {
      await page.goto('/search')
      const buttons = KINDS.flatMap((kind) =>
        MARKS.map((mark) => `<button type="button" class="${kind}" ${mark}>Posting…</button>`),
      )
      await page.locator('main').evaluate((main, html) => {
        main.innerHTML = html
      }, buttons.join(' '))
      for (const [index, html] of buttons.entries()) {
        const button = page.locator('main button').nth(index)
        const states = { rest: await contrastOf(button), focus: 0, hover: 0, pressed: 0 }
        await button.focus()
        states.focus = await contrastOf(button)
        await button.hover()
        states.hover = await contrastOf(button)
        await page.mouse.down()
        states.pressed = await contrastOf(button)
        await page.mouse.up()
        for (const [state, contrast] of Object.entries(states))
          expect(contrast, `${html}, ${state}`).toBeGreaterThanOrEqual(LEAST)
      }
    })
  })

/** Of a button's text with what is behind it, once nothing changes any more. */
function contrastOf(button: Locator): Promise<number> {
  return button.evaluate(async (element) => {
    await Promise.all(element.getAnimations().map(({ finished }) => finished.catch(() => {})))
    const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
    const brightnessOf = (colours: readonly string[]) => {
      for (const colour of colours) {
        if (pen === null) continue
        pen.fillStyle = colour
        pen.fillRect(0, 0, 1, 1)
      }
      const [red = 0, green = 0, blue = 0] = [...(pen?.getImageData(0, 0, 1, 1).data ?? [])].map((value) =>
        value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4,
      )
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const behind: string[] = []
    for (let one: Element | null = element; one !== null; one = one.parentElement)
      behind.unshift(getComputedStyle(one).backgroundColor)
    const pair = [brightnessOf(behind), brightnessOf([...behind, getComputedStyle(element).color])]
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05)
  })
}
