import type { Page } from 'playwright/test'
import { changeSettings } from '../src/forum/course-settings/operations.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { PHONE } from './inspection.ts'
import { expectSaid } from './journey.ts'
import { WAYS } from './ways.ts'

for (const [how, language, options] of WAYS) {
  const t = translatorOf(language)

  test(`an admin makes a course, its instructor runs it and archives it, ${how}`, async ({ as, forum }) => {
    const instructor = await aPerson(forum.db)
    const admin = await as(await aPerson(forum.db, { isAdmin: true }), {
      timezoneId: 'Asia/Seoul',
      ...options,
    })
    await admin.goto('/admin/courses')
    await admin.getByRole('link', { name: t('courseSettings.new.link') }).click()
    // With scripts the device's own zone comes first.
    const zone = admin.locator('select[name="time_zone"] option:not([value=""])').first()
    if (language === 'en') await expect(zone).toHaveAttribute('value', 'Asia/Seoul')
    await admin.getByLabel(t('courseSettings.title.label')).fill(`Compilers ${instructor.id}`)
    await admin.getByLabel(t('courseSettings.lectures.label')).fill('Lexing\nParsing')
    await admin.getByLabel(t('courseSettings.instructor.label')).fill(instructor.email)
    await admin.getByRole('button', { name: t('courseSettings.new.button') }).click()
    await expectSaid(admin, t('courseSettings.flash.made'))

    const page = await as(instructor, options)
    await page.goto(`/courses/compilers-${instructor.id}/lectures`)
    await page.locator('summary', { hasText: t('lectures.acts', { title: 'Parsing' }) }).click()
    await page.getByRole('button', { name: t('lectures.up') }).click()
    await expect(page.locator('.lecture-index li').first()).toContainText('Parsing')
    await page.getByLabel(t('lectures.add.label'), { exact: true }).fill('number,title\n7,Optimizing')
    await page.getByRole('button', { name: t('lectures.add.button'), exact: true }).click()
    await expect(page.getByRole('row').last()).toContainText(t('lectures.read.new'))
    await page.getByRole('button', { name: t('posts.save') }).click()
    await expect(page.locator('.lecture-index')).toContainText('Optimizing')
    await page.locator('summary', { hasText: t('lectures.add.more') }).click()
    await page
      .getByLabel(t('forms.file.label'))
      .setInputFiles({ name: 'lectures.csv', mimeType: 'text/csv', buffer: Buffer.from('8,Linking\n') })
    await page.getByLabel(t('lectures.add.mode')).selectOption('replace')
    await page.getByRole('button', { name: t('lectures.add.button'), exact: true }).click()
    await page.getByRole('button', { name: t('posts.save') }).click()
    await expect(page.locator('.lecture-index li')).toHaveText([/8\s*Linking/])
    await page.getByRole('button', { name: t('posts.undo') }).click()
    await expectSaid(page, t('lectures.flash.undone'))
    await expect(page.locator('.lecture-index li')).toHaveCount(3)
    await page.goto(`/courses/compilers-${instructor.id}/settings`)
    await page.getByLabel(t('courseSettings.accent.label')).selectOption('violet')
    await page.getByLabel(t('courseSettings.title.label'), { exact: true }).press('Enter')
    await expectSaid(page, t('courseSettings.flash.saved'))
    await expect(page.locator('html')).toHaveAttribute('data-accent', 'violet')
    await page.getByLabel(t('courseSettings.promise_hours.label')).fill('24')
    await page.getByLabel(t('courseSettings.promise_hours.label')).press('Enter')
    await expectSaid(page, t('courseSettings.flash.saved'))
    expect(new URL(page.url()).hash).toBe('#asking')
    await expect(page.locator('html')).toHaveAttribute('data-accent', 'violet')
    await page.getByRole('link', { name: t('courseSettings.nav.copy') }).click()
    await page.getByRole('button', { name: t('courseSettings.archive.button') }).click()
    await expect(page.locator('.course-bar')).toContainText(t('courses.bar.archived'))
    const asking = await page.goto(`/questions/new?course=compilers-${instructor.id}`)
    expect(asking?.status()).toBe(403)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('errors.archived.title'))
    await page.goto(`/courses/compilers-${instructor.id}/settings/copy`)
    await page.getByLabel(t('courseCopy.title.label')).fill(`Compilers again ${instructor.id}`)
    await page.getByRole('button', { name: t('courseSettings.copy.button') }).click()
    await expectSaid(page, t('courseSettings.flash.copied'))
    await page
      .getByRole('link', { name: t('courses.bar.lectures'), exact: true })
      .first()
      .click()
    await expect(page.locator('.lecture-index li')).toHaveCount(3)
  })

  test(`an instructor brings the answered questions of a lecture along to the next run, ${how}`, async ({
    as,
    forum: { db },
  }) => {
    const course = await aCourse(db, { lectures: ['Lexing', 'Parsing'] })
    const [instructor, learner] = [await aMember(db, course, 'instructor'), await aMember(db, course)]
    const [lexing, parsing] = course.lectureIds
    for (const [title, lectureId] of [
      ['What is a token?', lexing],
      ['What is a tree?', parsing],
    ] as const) {
      const question = await aQuestion(db, { course, author: learner, title, lectureId: lectureId ?? 0 })
      await anAnswer(db, { question, author: instructor, isAccepted: true })
    }
    const page = await as(instructor, options)
    await page.goto(`/courses/${course.slug}/settings/copy`)
    const chosen = page.getByRole('radio', { name: t('courseCopy.questions.chosen') })
    await chosen.check()
    await page.getByRole('button', { name: t('courseSettings.copy.button') }).click()
    await expect(page.getByRole('alert')).toContainText(t('courseCopy.chosen.none'))
    await expect(chosen).toBeChecked()
    await page.getByRole('checkbox', { name: 'Parsing' }).check()
    await page.getByLabel(t('courseCopy.title.label')).fill(`The next run ${instructor.id}`)
    await page.getByRole('button', { name: t('courseSettings.copy.button') }).click()
    await expectSaid(page, t('courseSettings.flash.copied'))
    const link = page.getByRole('link', { name: 'What is a tree?' })
    await expect(async () => {
      await page.goto(`/courses/the-next-run-${instructor.id}`)
      await expect(link).toBeVisible({ timeout: 500 })
    }).toPass()
    await expect(page.getByRole('link', { name: 'What is a token?' })).toHaveCount(0)
    await link.click()
    await expect(page.locator('.answer .byline')).toContainText(instructor.displayName)
    await expect(page.locator('main')).not.toContainText(learner.displayName)
  })
}

test('saving one section keeps what is typed into the others, and what another person saved there meanwhile', async ({
  as,
  forum,
}) => {
  const t = translatorOf('en')
  const course = await aCourse(forum.db, { title: 'Before' })
  const page = await as(await aMember(forum.db, course, 'instructor'))
  const title = page.getByLabel(t('courseSettings.title.label'), { exact: true })
  const description = page.getByLabel(t('courseSettings.description.label'))
  const anonymous = page.getByRole('checkbox', { name: t('courseSettings.allows_anonymous.label') })
  const promise = page.getByLabel(t('courseSettings.promise_hours.label'))
  const synonyms = page.getByLabel(t('courseSettings.synonyms.label'))
  const save = (section: string) => page.locator(`#${section} .button.primary`).press('Enter')
  await page.goto(`/courses/${course.slug}/settings`)
  const wasChecked = await anonymous.isChecked()
  await description.fill('Two\n\nlines')
  await anonymous.setChecked(!wasChecked)
  await page.getByText(t('courseSettings.synonyms.title')).click()
  await synonyms.fill('url = uri')
  await promise.fill('soon')
  const unsaved = (section: string) => page.locator(`#${section}`).getByText(t('courseSettings.unsaved'))
  for (const section of ['general', 'access', 'asking']) await expect(unsaved(section)).toBeVisible()

  await save('asking')
  await expect(page.locator('.error-summary')).toBeFocused()
  await expect(description).toHaveValue('Two\n\nlines')
  await title.fill('After')
  await save('general')
  await expect(page.getByRole('status').filter({ hasText: t('courseSettings.flash.saved') })).toBeFocused()
  await expect(title).toHaveValue('After')
  await expect(anonymous).toBeChecked({ checked: !wasChecked })
  await expect(promise).toHaveValue('soon')
  await expect(synonyms).toHaveValue('url = uri')
  await expect(unsaved('general')).toBeHidden()
  await expect(unsaved('access')).toBeVisible()

  await promise.fill('24')
  await save('asking')
  await expectSaid(page, t('courseSettings.flash.saved'))
  await expect(page.locator('#asking')).toBeFocused()
  await expect(anonymous).toBeChecked({ checked: !wasChecked })
  await expect(unsaved('asking')).toBeHidden()

  await forum.db.transaction().execute((write) => changeSettings(write, course.id, { promise_hours: 12 }, 3))
  await promise.fill('48')
  await save('access')
  await expect(page.locator('.error-summary')).toBeFocused()
  await save('access')
  await expectSaid(page, t('courseSettings.flash.saved'))
  await expect(promise).toHaveValue('48')
  await save('asking')
  await expect(page.locator('.panel dd')).toHaveText('12')
  await expect(promise).toHaveValue('48')
})

test('thirty lectures fit on two screens, and so do settings; a lecture is dragged and renamed where it stands', async ({
  as,
  forum,
}) => {
  const t = translatorOf('en')
  const lectures = Array.from({ length: 30 }, (_, at) => `About ${at + 1}`)
  const description = 'Design and build a web service that other people enjoy calling. '.repeat(5)
  const course = await aCourse(forum.db, { lectures, description })
  const page = await as(await aMember(forum.db, course, 'instructor'))
  const rows = page.locator('.lecture-index li')
  for (const viewport of [PHONE, { width: 1280, height: 900 }]) {
    await page.setViewportSize(viewport)
    await page.goto(`/courses/${course.slug}/lectures`)
    const list = viewport === PHONE ? page.locator('.lecture-index') : page.locator('body')
    expect((await list.boundingBox())?.height).toBeLessThanOrEqual(2 * viewport.height)
  }
  await page.goto(`/courses/${course.slug}`)
  const rail = page.locator('.contents-lectures')
  const isCut = rail.evaluate((list) => list.scrollHeight > list.clientHeight)
  expect(await isCut, 'the contents go on').toBe(true)
  await expect(rail, 'and a shade says so').toHaveCSS('background-attachment', /local.*scroll/)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/courses/${course.slug}/settings`)
  expect((await page.locator('html').boundingBox())?.height).toBeLessThanOrEqual(2 * 844)
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(`/courses/${course.slug}/lectures`)
  // No word of the columns' heads is broken: they are one line.
  expect((await page.locator('.lecture-head').boundingBox())?.height).toBeLessThan(35)
  await rows.nth(1).locator('.grip').hover()
  await page.mouse.down()
  await rows.nth(3).hover()
  await page.mouse.up()
  await expectSaid(page, t('lectures.flash.moved', { position: 4 }))
  await expect(rows.nth(3)).toContainText('About 2')
  await page.getByRole('button', { name: t('posts.undo') }).click()
  await expect(rows.nth(1)).toContainText('About 2')
  await rows.nth(1).locator('summary').click()
  await page.getByRole('link', { name: t('lectures.rename') }).click()
  await expect(rows.nth(1).getByLabel(t('lectures.title.label'))).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(rows.nth(1).locator('summary')).toBeFocused()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: t('lectures.rename') }).click()
  await page.keyboard.type('Parsing by hand')
  await page.keyboard.press('Enter')
  await expect(rows.nth(1)).toContainText('Parsing by hand')
})

test('an instructor gets a new course ready', async ({ as, forum }) => {
  const t = translatorOf('en')
  const course = await aCourse(forum.db)
  const instructor = await aMember(forum.db, course, 'instructor')
  const path = `/courses/${course.slug}`
  const page = await as(instructor, { isChanged: true })
  await page.goto(path)
  const first = page.locator('.first-steps')
  await expect(first.getByText('0 of 4 done')).toBeVisible()
  const link = first.getByLabel(t('courses.first.link'), { exact: true })
  await expect(link).toHaveValue(`${forum.url}${path}`)
  const copy = first.getByRole('button', { name: t('posts.copyLink') })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await copy.click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${forum.url}${path}`)

  await first.getByRole('link', { name: t('courses.first.goal.act') }).click()
  await page.getByLabel(t('courseSettings.promise_hours.label')).fill('24')
  await page.getByLabel(t('courseSettings.promise_hours.label')).press('Enter')
  await expectSaid(page, t('courseSettings.flash.saved'))
  await page.goto(path)
  await first.getByRole('link', { name: t('courses.first.welcome.act') }).click()
  await page.getByLabel(t('questions.title.label')).fill('Welcome!')
  await page.locator('textarea[name="body"]').fill('Ask anything.')
  await page.getByRole('button', { name: t('announcements.new.button') }).click()
  await expectSaid(page, t('announcements.flash.posted'))
  await page.goto(path)
  await expect(first.getByText('2 of 4 done')).toBeVisible()
  await expect(first.getByText('Within 24 hours.')).toBeVisible()
  await expect(page.getByRole('region', { name: t('announcements.newest') })).toContainText('Ask anything.')

  await first.getByRole('button', { name: t('courses.first.hide') }).click()
  await expectSaid(page, t('courses.flash.stepsHidden'))
  await expect(first).toBeHidden()
  await page.goto(`${path}/settings`)
  await page.getByRole('button', { name: t('courses.first.show') }).click()
  await expect(first.getByText('2 of 4 done')).toBeVisible()
})

test('the first set-up takes the browser’s time zone, unless another was chosen', async ({ as, forum }) => {
  const admins = forum.db.updateTable('people').set({ is_admin: false }).where('is_admin', '=', true)
  const were = await admins.returning('id').execute()
  const path = /\/set-up\?token=[\w-]+/.exec(forum.log())?.[0] ?? ''
  const zone = (page: Page) => page.locator('select[name="time_zone"]')
  const page = await as(null, { timezoneId: 'Asia/Seoul' })
  await page.goto(path)
  await expect(zone(page)).toHaveValue('Asia/Seoul')
  await zone(page).selectOption('Europe/Berlin')
  await page.locator('form[action="/set-up"]').evaluate((form: HTMLFormElement) => form.submit())
  await expect(page.getByRole('alert').or(page.locator('.error-summary'))).toBeVisible()
  await expect(zone(page)).toHaveValue('Europe/Berlin')

  const plain = await as(null, { timezoneId: 'Asia/Seoul', javaScriptEnabled: false })
  await plain.goto(path)
  await expect(zone(plain)).not.toHaveValue('Asia/Seoul')
  for (const { id } of were)
    await forum.db.updateTable('people').set({ is_admin: true }).where('id', '=', id).execute()
})
