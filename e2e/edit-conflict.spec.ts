import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, MOVING, test } from './forum.ts'

test.use(MOVING)

const t = translatorOf('en')

test('two people edit at once: the second sees both texts and decides', async ({ as, forum }) => {
  const course = await aCourse(forum.db)
  const asker = await aPerson(forum.db)
  const question = await aQuestion(forum.db, { course, author: asker, body: 'As it was.' })
  const [mine, theirs] = await Promise.all([as(asker), as(await aMember(forum.db, course, 'instructor'))])
  await Promise.all([mine, theirs].map((page) => page.goto(`/questions/${question.id}/edit`)))
  const body = { name: t('questions.body.label'), exact: true }

  await theirs.getByRole('textbox', body).fill('As the instructor mended it.')
  await theirs.getByRole('button', { name: t('posts.save') }).click()
  await expect(theirs.getByRole('status')).toHaveText(t('questions.flash.edited'))
  await mine.getByRole('textbox', body).fill('As the asker knows it better.')
  // What is typed is kept by other posts meanwhile.
  const answered = mine.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/edit'),
  )
  await mine.getByRole('button', { name: t('posts.save') }).click()

  expect((await answered).status()).toBe(409)
  await expect(mine.getByRole('textbox', { name: t('posts.conflict.theirs') })).toHaveValue(
    'As the instructor mended it.',
  )
  await expect(mine.getByRole('textbox', body)).toHaveValue('As the asker knows it better.')
  await mine.getByRole('button', { name: t('posts.conflict.save') }).click()
  await expect(mine.locator('.post .prose')).toHaveText('As the asker knows it better.')
})
