import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { setRows } from '../src/testing/rows.ts'
import { expect, test } from './forum.ts'
import { expectSaid } from './journey.ts'
import { expectSoundIn, WAYS } from './ways.ts'

for (const { how, options, t } of WAYS)
  test(`a held post leads to its spammer, whose posts go in three presses, ${how}`, async ({ as, db }) => {
    const course = await aCourse(db)
    const [staff, reader] = [await aMember(db, course, 'instructor'), await aMember(db, course)]
    const author = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Mal Ware' }))
    const question = await aQuestion(db, { course })
    await anAnswer(db, { question, author, body: 'Cheap watches at <https://watches.example/>.' })
    const { id } = await anAnswer(db, { question, author, body: 'Cheap pills.' })
    await setRows(db, 'answers', id, { held_at: new Date(), held_for: 'hosts' })

    const reading = await as(reader, options)
    const path = `/questions/${question.id}`
    await reading.goto(path)
    await expect(reading.getByText('Cheap watches')).toBeVisible()

    const page = await as(staff, options)
    const queue = `/courses/${course.slug}/moderation?view=held`
    await page.goto(queue)
    await page.getByRole('link', { name: t('spammer.link') }).press('Enter')
    await expect(page.getByText(t('spammer.posts', { count: 2, held: 1 }))).toBeVisible()
    await expect(page.getByRole('checkbox', { name: /watches\.example/ })).not.toBeChecked()
    await expectSoundIn(page, how)
    await page.getByRole('checkbox', { name: t('spammer.sure', { name: 'Mal Ware' }) }).check()
    await page.getByRole('button', { name: t('spammer.button') }).press('Enter')
    await expectSaid(page, t('spammer.flash.done'))
    expect(page.url()).toContain(queue)
    await expect(page.getByText(t('cases.none.held'))).toBeVisible()

    await reading.goto(path)
    await expect(reading.getByText('Cheap watches')).toHaveCount(0)

    await page.getByRole('button', { name: t('posts.undo') }).click()
    await expectSaid(page, t('spammer.flash.undone'))
    await page.goto(queue)
    await expect(page.getByText('Cheap pills.')).toBeVisible()
    await reading.goto(path)
    await expect(reading.getByText('Cheap watches')).toBeVisible()
  })
