import { expect, test } from './forum.ts'

test('the forum starts and shows its questions', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})
