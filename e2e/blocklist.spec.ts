import { sql } from 'kysely'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { setRows } from '../src/testing/rows.ts'
import { expect, test } from './forum.ts'
import { expectSaid } from './journey.ts'
import { expectSoundIn, WAYS } from './ways.ts'

for (const { how, options, t } of WAYS)
  test(`an instructor tries and saves a blocklist, a newcomer’s post waits, ${how}`, async ({ as, db }) => {
    const course = await aCourse(db)
    const question = await aQuestion(db, { course, title: 'Where is the exam?' })
    await anAnswer(db, { question, body: 'In the casino.' })
    const page = await as(await aMember(db, course, 'instructor'), options)
    await page.goto(`/courses/${course.slug}/settings/blocklist`)
    const words = page.getByLabel(t('blocklist.words.label'))
    await words.fill('casin*\n*')
    await page.getByRole('button', { name: t('blocklist.preview.button'), exact: true }).click()
    await expect(page.getByRole('alert')).toContainText(t('blocklist.words.wrong', { line: 2, min: 2 }))
    await expect(words).toHaveValue('casin*\n*')
    await words.fill('casin*')
    await page.getByRole('button', { name: t('blocklist.preview.button'), exact: true }).click()
    const preview = page.getByRole('region', { name: t('blocklist.preview.title') })
    await expect(preview).toBeFocused()
    await expect(preview).toContainText(t('blocklist.preview.count', { count: 1, looked: 2 }))
    await expect(preview.getByRole('link', { name: 'Where is the exam?' })).toBeVisible()
    await expectSoundIn(page, how)
    await page.getByRole('button', { name: t('posts.save'), exact: true }).click()
    await expectSaid(page, t('courseSettings.flash.saved'))
    await expect(words).toHaveValue('casin*')

    const stranger = await aPerson(db)
    await setRows(db, 'people', stranger.id, { new_until: sql`now() + interval '1 day'` })
    const theirs = await as(stranger, options)
    await theirs.goto(`/questions/${question.id}`)
    await theirs.locator('form[action$="/answers"] textarea[name=body]').fill('Better in CASINOS!')
    await theirs.locator('form[action$="/answers"] button.primary').click()
    await expect(theirs.locator('main')).toContainText(t('held.why.words'))
  })
