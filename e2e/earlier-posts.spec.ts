import { aCourse, anUnclaimedPerson, aPerson, aQuestion, asImported } from '../src/testing/builders.ts'
import { personPath } from '../src/web/paths.ts'
import { expect, test } from './forum.ts'
import { expectSaid } from './journey.ts'
import { expectSoundIn, WAYS } from './ways.ts'

for (const { how, options, t } of WAYS)
  test(`someone claims what they asked elsewhere, and takes it back, ${how}`, async ({ as, db }) => {
    const course = await aCourse(db, { title: 'Databases', isPublic: false })
    const mina = await aPerson(db)
    const before = await anUnclaimedPerson(db, course, { displayName: 'Mina of Ed', email: mina.email })
    const title = 'Which index helps a search by prefix?'
    const question = await aQuestion(db, { course, author: before, title })
    await asImported(db, before)
    const page = await as(mina, options)
    await page.goto(personPath(mina))
    await page.getByRole('link', { name: t('claims.review') }).click()
    const offer = page.getByRole('group', { name: before.displayName })
    await expect(offer).toContainText(title)
    await expect(offer).toContainText(t('posts.imported', { source: 'ed' }))
    await expectSoundIn(page, how)
    await offer.getByRole('radio', { name: t('claims.choice.mine'), exact: true }).check()
    await offer.getByRole('button', { name: t('claims.save') }).click()
    await expectSaid(page, t('claims.flash.mine'))
    await page.goto(`/questions/${question.id}`)
    await expect(page.locator('main')).toContainText(mina.displayName)

    await page.goto('/settings/claims')
    const claimed = page.getByRole('group', { name: t('claims.claimed.name', { name: before.displayName }) })
    await expectSoundIn(page, how)
    await claimed.getByRole('radio', { name: t('claims.choice.undo'), exact: true }).check()
    await claimed.getByRole('button', { name: t('claims.save') }).click()
    await expectSaid(page, t('claims.flash.other'))
    await expect(page.getByText(t('claims.none.title'))).toBeVisible()
    expect((await page.goto(`/questions/${question.id}`))?.status()).toBe(404)
  })
