import type { Locator, Page } from 'playwright/test'

/** The search box every page has at its head. */
export function searchBox(page: Page): Locator {
  return page.getByRole('banner').locator('input[type="search"]')
}

/** Types into it and presses Enter, as one does who looks for something. */
export async function lookFor(page: Page, text: string): Promise<void> {
  await searchBox(page).fill(text)
  await searchBox(page).press('Enter')
  await page.waitForURL((url) => url.pathname === '/search' && url.searchParams.get('q') === text)
}
