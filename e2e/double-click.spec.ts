import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, MOVING, test } from './forum.ts'

test.use(MOVING)

const t = translatorOf('en')

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test('a double click on Post asks one question', async ({ as, forum }) => {
      const course = await aCourse(forum.db)
      const person = await aPerson(forum.db)
      const page = await as(person)
      await page.goto(`/questions/new?course=${course.slug}`)
      await page.getByLabel(t('questions.title.label')).fill('Once or twice?')
      await page.getByLabel(t('questions.body.label'), { exact: true }).fill('Once, please.')
      await page.getByRole('button', { name: t('questions.new.post') }).dblclick()

      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Once or twice?')
      const asked = await forum.db
        .selectFrom('questions')
        .select('id')
        .where('author_id', '=', person.id)
        .execute()
      expect(asked).toHaveLength(1)
    })

    test('a double click on a vote counts one vote', async ({ as, forum }) => {
      const question = await aQuestion(forum.db)
      const page = await as(await aPerson(forum.db))
      await page.goto(`/questions/${question.id}`)
      await page.getByRole('button', { name: t('votes.question') }).dblclick()

      await expect(page.getByRole('button', { name: t('votes.question') })).toHaveAttribute(
        'aria-pressed',
        'true',
      )
      await expect(page.locator('.post .vote b').first()).toHaveText('1')
    })
  })
}
