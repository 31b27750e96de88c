import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aPerson } from '../src/testing/builders.ts'
import { rowsOf, setRows } from '../src/testing/rows.ts'
import { expect, test } from './forum.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'

const t = translatorOf('en')
const TEMPLATE = '**What I tried**\n\n\n**What happened**'

test('a course’s headings are there to write under; hints come and go while one does', async ({ as, db }) => {
  const course = await courseWith(db, TEMPLATE)
  const page = await as(await aPerson(db))
  await page.goto(`/questions/new?course=${course.slug}`)
  const [title, body] = [
    page.getByLabel(t('questions.title.label')),
    page.getByLabel(t('questions.body.label'), { exact: true }),
  ]
  await expect(body).toHaveValue(TEMPLATE)
  const hints = page.locator('.hints > p:visible')
  await title.fill('Help')
  await body.pressSequentially('\nno')
  await expect(hints).toHaveText([t('questions.hints.title'), t('questions.hints.short')])
  expect(await barriers(page)).toEqual([])
  await body.fill(`${TEMPLATE}\n\npublic class A {\n    int a;\n}`)
  await title.fill('Why does it not start?')
  await expect(hints).toHaveText([t('questions.hints.short'), t('questions.hints.code')])
  await page.setViewportSize(PHONE)
  expect(await tooWide(page)).toEqual([])
  await body.fill(`${TEMPLATE}\n\n\`\`\`java\npublic class A {\n    int a;\n}\n\`\`\``)
  await expect(hints).toHaveCount(0)
})

test('an untouched template is no draft, and a draft takes its place', async ({ as, db }) => {
  const course = await courseWith(db, TEMPLATE)
  const person = await aPerson(db)
  const page = await as(person)
  const path = `/questions/new?course=${course.slug}`
  const drafts = () => rowsOf(db, 'drafts', { person_id: person.id })
  await page.goto(path)
  const body = page.getByLabel(t('questions.body.label'), { exact: true })
  await body.scrollIntoViewIfNeeded()
  await expect(page.getByRole('toolbar')).toBeVisible()
  await body.pressSequentially('x')
  await expect.poll(async () => (await drafts()).length).toBe(1)
  await body.fill(`${TEMPLATE}\nMy words`)
  await expect.poll(async () => JSON.stringify(await drafts())).toContain('My words')
  await page.goto(path)
  await expect(body).toHaveValue(`${TEMPLATE}\nMy words`)
  await body.fill(TEMPLATE)
  await expect.poll(async () => (await drafts()).length).toBe(0)
})

async function courseWith(db: Database, question_template: string) {
  const course = await aCourse(db)
  await setRows(db, 'courses', course.id, { question_template })
  return course
}
