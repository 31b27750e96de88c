import { aCourse, aPerson, aQuestion } from '../src/testing/builders.ts'
import { questionPath } from '../src/web/paths.ts'
import { expect, MOVING, test } from './forum.ts'

test.use(MOVING)

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test('an asker deletes a question by mistake and has it back with one press', async ({ as, forum }) => {
      const course = await aCourse(forum.db)
      const asker = await aPerson(forum.db)
      const question = await aQuestion(forum.db, {
        course,
        author: asker,
        title: 'Kept for the next hundred?',
      })
      const page = await as(asker, { javaScriptEnabled })
      await page.goto(questionPath(question))
      const post = page.locator('.post.question')
      await post.locator('summary', { hasText: 'More' }).click()
      await post.getByRole('button', { name: /^Delete/ }).click()

      await expect(page.getByRole('status')).toContainText('Question deleted.')
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect(page.getByRole('status')).toContainText('Question restored.')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Kept for the next hundred?')
    })
  })
}
