import { aCourse, aMember, aPerson, aQuestion } from '../src/testing/builders.ts'
import { setRows } from '../src/testing/rows.ts'
import { expect, test } from './forum.ts'
import { buttonOf } from './hands.ts'
import { expectSaid } from './journey.ts'
import { expectSoundIn, WAYS } from './ways.ts'

for (const { how, options, t } of WAYS)
  test(`an answer waits for review and is released, another is rejected, ${how}`, async ({ as, db }) => {
    const course = await aCourse(db)
    await setRows(db, 'courses', course.id, { hold: 'all' })
    const [learner, staff] = [await aMember(db, course), await aMember(db, course, 'instructor')]
    const question = await aQuestion(db, { course })
    const writing = await as(learner, options)
    for (const text of ['It is 201, I think.', 'It is 202, and you are fools.']) {
      await writing.goto(`/questions/${question.id}`)
      await writing.locator('form[action$="/answers"] textarea[name=body]').fill(text)
      await writing.locator('form[action$="/answers"] button.primary').click()
      await expectSaid(writing, t('posts.flash.held'))
    }
    await expect(writing.getByText(t('held.why.all'))).toHaveCount(2)
    await expectSoundIn(writing, how)

    const visiting = await as(await aPerson(db), options)
    await visiting.goto(`/questions/${question.id}`)
    await expect(visiting.getByText('It is 20')).toHaveCount(0)

    const reviewing = await as(staff, options)
    await reviewing.goto(`/courses/${course.slug}/moderation`)
    await reviewing.getByRole('link', { name: new RegExp(t('cases.view.held')) }).click()
    await expectSoundIn(reviewing, how)
    const row = (text: string) => reviewing.getByRole('listitem').filter({ hasText: text })
    await buttonOf(row('201'), t('held.release')).press('Enter')
    await expectSaid(reviewing, t('held.flash.released'))
    await row('202')
      .getByRole('link', { name: t('held.reject') })
      .press('Enter')
    await reviewing.getByLabel(t('removal.reason'), { exact: true }).selectOption('rude')
    const reject = reviewing.getByRole('button', { name: t('held.rejection.button') })
    await reject.click()
    await expect(reviewing.locator('[aria-invalid=true]')).toHaveCount(1)
    await expectSoundIn(reviewing, how)
    await reviewing.locator('textarea[name=note]').fill('Be kind.')
    await reject.click()
    await expectSaid(reviewing, t('held.flash.rejected'))
    await expect(reviewing.getByText(t('cases.none.held'))).toBeVisible()

    await visiting.goto(`/questions/${question.id}`)
    await expect(visiting.getByText('It is 201, I think.')).toBeVisible()
    await expect(visiting.getByText('fools')).toHaveCount(0)
  })
