import { aCourse, aMember, aPerson } from '../src/testing/builders.ts'
import { setRows } from '../src/testing/rows.ts'
import { expect, test } from './forum.ts'
import { WAYS } from './ways.ts'

for (const { how, options, t } of WAYS)
  test(`a learner asks without a name, goes on so, and is named later, ${how}`, async ({ as, db }) => {
    const first = t('authors.anonymousNumber', { number: 1 })
    const course = await aCourse(db, { title: `Shy people ${Date.now()}` })
    await setRows(db, 'courses', course.id, { allows_anonymous: true })
    const asker = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Minseo Kim' }))
    const mine = await as(asker, options)

    await mine.goto(`/questions/new?course=${course.slug}`)
    await mine.getByLabel(t('questions.title.label')).fill('Is this a silly question?')
    await mine.getByLabel(t('questions.body.label'), { exact: true }).fill('I did not dare to ask before.')
    await mine.getByRole('checkbox', { name: new RegExp(t('anonymous.box')) }).check()
    await mine.getByRole('button', { name: t('questions.new.post') }).click()
    await expect(mine.locator('.post.question .byline')).toContainText(t('anonymous.you', { name: first }))
    const path = new URL(mine.url()).pathname

    await mine.locator('.post.question summary', { hasText: t('replies.open.ownQuestion') }).click()
    const form = mine.locator('.reply-form').first()
    await expect(form.getByRole('checkbox', { name: new RegExp(t('anonymous.box')) })).toBeChecked()
    await form.getByRole('textbox').fill('It is about lecture 3.')
    await form.getByRole('button', { name: t('replies.postDetail') }).click()
    await expect(mine.locator('.reply')).toContainText('lecture 3')

    const classmate = await as(await aMember(db, course), options)
    await classmate.goto(path)
    await expect(classmate.locator('.post.question .byline').first()).toContainText(first)
    await expect(classmate.getByRole('main')).not.toContainText('Minseo')

    await mine.goto(`${path.split('/').slice(0, 3).join('/')}/edit`)
    await mine.getByRole('radio', { name: new RegExp(t('anonymous.named')) }).check()
    await mine
      .getByRole('button', { name: t('posts.save'), exact: true })
      .last()
      .click()
    await expect(mine.getByRole('status').first()).toContainText(t('questions.flash.edited'))
    await classmate.goto(path)
    await expect(classmate.locator('.post.question .byline').first()).toContainText('Minseo Kim')
    await expect(classmate.locator('.reply .byline')).toContainText(first)
  })
