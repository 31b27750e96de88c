import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { PHONE } from './inspection.ts'
import { expectSaid } from './journey.ts'

for (const [how, language, options] of [
  ['with a mouse', 'en', {}],
  [
    'without scripts, on a phone, in Korean',
    'ko',
    { javaScriptEnabled: false, viewport: PHONE, locale: 'ko-KR' },
  ],
] as const) {
  const t = translatorOf(language)

  test(`an admin makes a course, its instructor runs it and archives it, ${how}`, async ({ as, forum }) => {
    const instructor = await aPerson(forum.db)
    const admin = await as(await aPerson(forum.db, { isAdmin: true }), options)
    await admin.goto('/admin/courses')
    await admin.getByRole('link', { name: t('courseSettings.new.link') }).click()
    await admin.getByLabel(t('courseSettings.title.label')).fill(`Compilers ${instructor.id}`)
    await admin.getByLabel(t('courseSettings.lectures.label')).fill('Lexing\nParsing')
    await admin.getByLabel(t('courseSettings.instructor.label')).fill(instructor.email)
    await admin.getByRole('button', { name: t('courseSettings.new.button') }).click()
    await expectSaid(admin, t('courseSettings.flash.made'))

    const page = await as(instructor, options)
    await page.goto(`/courses/compilers-${instructor.id}/lectures`)
    await page.getByRole('button', { name: t('lectures.up', { title: 'Parsing' }) }).click()
    await expect(page.locator('.lecture-index li').first()).toContainText('Parsing')
    await page.getByLabel(t('lectures.add.label'), { exact: true }).fill('7,Optimizing')
    await page.getByRole('button', { name: t('lectures.add.button'), exact: true }).click()
    await expect(page.locator('.lecture-index')).toContainText('Optimizing')
    await page
      .getByLabel(t('forms.file.label'))
      .setInputFiles({ name: 'lectures.csv', mimeType: 'text/csv', buffer: Buffer.from('8,Linking\n') })
    await page.getByRole('button', { name: t('lectures.add.button'), exact: true }).click()
    await expect(page.locator('.lecture-index')).toContainText('Linking')
    await page.goto(`/courses/compilers-${instructor.id}/settings`)
    await page.getByLabel(t('courseSettings.accent.label')).selectOption('violet')
    await page.getByLabel(t('courseSettings.title.label'), { exact: true }).press('Enter')
    await expectSaid(page, t('courseSettings.flash.saved'))
    await expect(page.locator('html')).toHaveAttribute('data-accent', 'violet')
    await page.getByRole('button', { name: t('courseSettings.archive.button') }).click()
    await expect(page.locator('.course-bar')).toContainText(t('courses.bar.archived'))
    const asking = await page.goto(`/questions/new?course=compilers-${instructor.id}`)
    expect(asking?.status()).toBe(403)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('errors.archived.title'))
    await page.goto(`/courses/compilers-${instructor.id}/settings`)
    await page.getByLabel(t('courseSettings.copy.label')).fill(`Compilers again ${instructor.id}`)
    await page.getByRole('button', { name: t('courseSettings.copy.button') }).click()
    await expectSaid(page, t('courseSettings.flash.copied'))
    await page
      .getByRole('link', { name: t('courseSettings.nav.lectures'), exact: true })
      .first()
      .click()
    await expect(page.locator('.lecture-index li')).toHaveCount(4)
  })
}

test('a lecture is merged into another, and its questions go along; learners and assistants find no forms', async ({
  as,
  forum,
}) => {
  const t = translatorOf('en')
  const course = await aCourse(forum.db, { lectures: ['Lexing', 'Scanning'] })
  await aQuestion(forum.db, { course, lectureId: course.lectureIds[1] ?? 0 })
  const page = await as(await aMember(forum.db, course, 'instructor'))
  await page.goto(`/courses/${course.slug}/lectures/2`)
  await page.getByRole('button', { name: t('lectures.merge.button'), exact: true }).click()
  await expect(page.locator('.lecture-index li')).toHaveCount(1)
  await expect(page.locator('.lecture-index li')).toContainText('1 question')
  for (const role of ['learner', 'assistant'] as const) {
    const other = await as(await aMember(forum.db, course, role))
    await other.goto(`/courses/${course.slug}/lectures`)
    await expect(other.getByRole('main').locator('form')).toHaveCount(0)
    expect((await other.goto(`/courses/${course.slug}/settings`))?.status()).toBe(403)
  }
})
