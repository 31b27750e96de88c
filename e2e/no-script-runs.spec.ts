import type { Page } from 'playwright/test'
import { newPasswordRequest } from '../src/accounts/sign-in/forgotten-password.ts'
import type { Database } from '../src/database/schema.ts'
import { act } from '../src/testing/act.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeCourse,
} from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { intruders } from './intruders.ts'
import { searchBox } from './search-box.ts'

/** Each would leave a mark on the window that no script of ours makes, from another place of a page. */
const ATTACKS = [
  '"><img src=x onerror="window.intruded=1"><svg onload="window.intruded=1">',
  "' autofocus onfocus='window.intruded=1' x='",
  '</title></textarea></script><script>window.intruded=1</script>',
  '[x](javascript:window.intruded=1) <a href="javascript:window.intruded=1">x</a>',
  '</li></template><style onload="window.intruded=1"></style><iframe srcdoc="<script>parent.intruded=1</script>">',
  '--><script>window.intruded=1</script>]]><%= window.intruded=1 %>{{constructor.constructor("window.intruded=1")()}}',
]

for (const attack of ATTACKS) {
  test(`«${attack.slice(0, 40)}» runs on no page, nor in what scripts make of it`, async ({ as, db }) => {
    test.slow()
    const place = await putEverywhere(db, attack)
    const [visitor, asker, admin] = [await as(null), await as(place.asker), await as(place.admin)]
    const value = encodeURIComponent(attack)
    for (const path of [
      `/questions/${place.question}`,
      `/courses/${place.course.slug}?lecture=1`,
      '/courses',
      `/people/${place.asker.id}`,
      `/search?q=${value}`,
      `/tags?q=${value}`,
      `/tags/${value}`,
      `/${value}`,
      `/sign-in?next=/${value}`,
      `/sign-in/link?token=${value}`,
      `/questions?tag=${value}&sort=${value}&course=${value}`,
    ])
      await look(visitor, path)
    for (const path of [
      `/questions/${place.question}/edit`,
      `/questions/new?course=${place.course.slug}`,
      '/settings',
      '/settings/security',
    ])
      await look(asker, path)
    await look(admin, '/mail')
    await typeIt(visitor, asker, place.course, attack)
    await sendIt(visitor, asker, place.course, attack)
  })
}

/** The attack as name, title, text, lecture, category, field and description of a course, and in a mail. */
async function putEverywhere(db: Database, attack: string) {
  const course = await aCourse(db, {
    title: attack,
    field: attack.slice(0, 40),
    description: attack,
    lectures: [attack],
    categories: [],
  })
  const asker = await aPerson(db, { displayName: attack.slice(0, 50) })
  const staff = await aMember(
    db,
    course,
    'instructor',
    await aPerson(db, { displayName: attack.slice(0, 50) }),
  )
  const written = { author: asker, body: attack }
  const question = await aQuestion(db, {
    course,
    ...written,
    title: attack,
    lectureId: course.lectureIds[0] ?? 0,
  })
  const answer = await anAnswer(db, {
    question,
    author: staff,
    body: `${attack}\n\n\`\`\`html\n${attack}\n\`\`\``,
    isAccepted: true,
  })
  await aReply(db, { answer, ...written })
  const admin = await aPerson(db, { isAdmin: true })
  await act({ db }, newPasswordRequest, { actor: null, key: asker.email, input: { email: asker.email } })
  return { course, asker, admin, question: question.id }
}

/** What scripts put on a page: suggestions, similar questions, drafts. */
async function typeIt(visitor: Page, asker: Page, course: MadeCourse, attack: string): Promise<void> {
  await visitor.goto('/courses')
  await searchBox(visitor).fill(attack)
  await searchBox(visitor).pressSequentially(' intruded')
  await visitor.waitForResponse((answer) => answer.url().includes('/search/suggestions'))
  await settled(visitor, 'suggestions')
  await asker.goto(`/questions/new?course=${course.slug}`)
  await asker.locator('[name="title"]').fill(attack)
  await asker.locator('[name="title"]').pressSequentially(' window intruded')
  await asker.waitForResponse((answer) => answer.url().includes('/questions/similar'))
  await asker.locator('textarea[name="body"]').fill(attack)
  await settled(asker, 'similar questions')
  await asker.reload()
  await settled(asker, 'a kept draft')
}

/** Forms that come back with it: a refused one, a preview, one that came too late. */
async function sendIt(visitor: Page, asker: Page, course: MadeCourse, attack: string): Promise<void> {
  await visitor.goto('/sign-up')
  await fill(visitor, '/sign-up', { display_name: attack, email: attack, password: attack })
  await sendAnyway(visitor, '/sign-up', '/sign-up')
  const words = { title: attack, body: attack }
  for (const [action, fields] of [
    ['/questions/preview', { ...words, tags: '' }],
    ['/questions', { ...words, tags: attack }],
  ] as const) {
    await asker.goto(`/questions/new?course=${course.slug}`)
    await fill(asker, '/questions', fields)
    await sendAnyway(asker, '/questions', action)
  }
  await asker.goto(`/questions/new?course=${course.slug}`)
  await fill(asker, '/questions', words)
  await asker
    .locator('form[action="/questions"] [name="_csrf"]')
    .evaluate((field) => field.setAttribute('value', 'x'))
  await sendAnyway(asker, '/questions', '/questions')
}

async function fill(page: Page, form: string, fields: Readonly<Record<string, string>>): Promise<void> {
  // Also into a field that chips stand for.
  for (const [name, value] of Object.entries(fields))
    await page
      .locator(`form[action="${form}"] [name="${name}"]`)
      .evaluate((field: HTMLInputElement, typed) => {
        field.value = typed
      }, value)
}

/** Sends a form to an address, whatever the browser thinks of its fields. */
async function sendAnyway(page: Page, form: string, action: string): Promise<void> {
  const answered = page.waitForNavigation()
  await page.locator(`form[action="${form}"]`).evaluate((element, to) => {
    if (!(element instanceof HTMLFormElement)) throw new Error('no form')
    element.action = to
    element.submit()
  }, action)
  await answered
  await settled(page, action)
}

async function look(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await settled(page, path)
}

/** Whatever the browser complains about, a policy that was broken or a dialogue, fails the test in forum.ts. */
async function settled(page: Page, name: string): Promise<void> {
  expect(await intruders(page), name).toEqual([])
  expect(await page.evaluate(() => 'intruded' in window), name).toBe(false)
}
