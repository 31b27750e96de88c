import type { Page } from 'playwright/test'
import { hashPassword } from '../src/accounts/identity/passwords.ts'
import { keepLeftOut } from '../src/forum/questions/left-out.ts'
import { LIMITS } from '../src/kernel/limits.ts'
import { questionPath } from '../src/web/paths.ts'
import type { Forum } from './forum.ts'
import { page, type Shown, sendAnyway } from './shown.ts'
import type { World } from './world.ts'

/** Pages of what the forum refuses, beside those that e2e/pages.ts has among their own. */
export const REFUSED_PAGES: readonly Shown[] = [
  page('a question that is too large', ({ course }) => `/questions/new?course=${course.slug}`, {
    reader: 'stranger',
    status: 413,
    act: sendTooMuch,
  }),
  page('a question edited meanwhile', ({ question }) => `/questions/${question.id}/edit`, {
    reader: 'asker',
    status: 409,
    act: sendOutdated,
  }),
  page('a wrong list of members', membersOf, {
    reader: 'instructor',
    status: 422,
    act: sendList(`nobody,${'x'.repeat(90)}`),
  }),
  page('a list of members with a quote that never closes', membersOf, {
    reader: 'instructor',
    status: 422,
    act: sendList('email,role\n"mina@example.com,learner\njun@example.com,learner'),
  }),
  page('a list of members with two columns of addresses', membersOf, {
    reader: 'instructor',
    status: 422,
    act: sendList('Namn;Elevens;Mammas\nMina;m@two.example;p@two.example\nJun;j@two.example;q@two.example'),
  }),
  page('roles that a list of members names', membersOf, {
    reader: 'instructor',
    act: sendList(`Name,Email Address,Role\n${'W'.repeat(50)},${'x'.repeat(60)}@example.com,Teacher`),
  }),
  page('lines that an email had beside what was posted', answeredByMail, { reader: 'instructor' }),
  page('an answer with much code', askingAboutCode, {
    reader: 'stranger',
    status: 422,
    act: async (at) => {
      await at.locator('#answer').fill(`Like this:\n\n\`\`\`\n${'let x = 1\n'.repeat(9)}\`\`\``)
      await sendAnyway(at, '/answers')
    },
  }),
  page('a token without the password', tokensWithPassword, {
    reader: 'asker',
    status: 422,
    act: (at) => sendAnyway(at, '/settings/tokens'),
  }),
  // Of somebody who searches nowhere else: the limit is theirs.
  page('searching too often', () => '/search?q=put', { reader: 'admin', status: 429, act: searchTooOften }),
]

function membersOf({ course }: World): string {
  return `/courses/${course.slug}/members`
}

function sendList(text: string) {
  return (at: Page): Promise<void> =>
    at.locator('#list').evaluate((field: HTMLTextAreaElement, list) => {
      field.value = list
      field.form?.requestSubmit()
    }, text)
}

async function answeredByMail({ question, answer }: World, { db }: Forum): Promise<string> {
  const text = `${'x'.repeat(200)}\n\nOn Tuesday someone wrote:`
  await db.deleteFrom('left_out_texts').where('answer_id', '=', answer.id).execute()
  await db.transaction().execute((write) => keepLeftOut(write, { table: 'answers', id: answer.id }, text))
  return questionPath(question)
}

async function askingAboutCode({ plain, course }: World, { db }: Forum): Promise<string> {
  await db.updateTable('courses').set({ asks_about_code: 8 }).where('slug', '=', course.slug).execute()
  return questionPath(plain)
}

async function tokensWithPassword({ asker }: World, { db }: Forum): Promise<string> {
  const password_hash = await hashPassword('four plain words here')
  await db.updateTable('people').set({ password_hash }).where('id', '=', asker.id).execute()
  return '/settings/tokens'
}

async function sendTooMuch(at: Page): Promise<void> {
  await at.locator('textarea[name="body"]').evaluate((field: HTMLTextAreaElement) => {
    field.value = 'x'.repeat(600_000)
  })
  await sendAnyway(at, '/questions')
}

async function sendOutdated(at: Page): Promise<void> {
  const form = at.locator('form:has(textarea[name="body"])')
  await form.locator('textarea[name="body"]').fill(`My own words. ${'x'.repeat(200)}`)
  await form.locator('input[name="version"]').evaluate((field: HTMLInputElement) => {
    field.value = '0'
  })
  await sendAnyway(at, '/edit')
}

/** Of the FAQ's first entry. */
export async function sendOutdatedEntry(at: Page): Promise<void> {
  const editing = await at.locator('article .menu a[href^="?edit="]').first().getAttribute('href')
  await at.goto(new URL(editing ?? '', at.url()).href)
  const answered = at.waitForResponse((response) => response.request().method() === 'POST')
  await at
    .locator('article details:not(.menu)')
    .first()
    .evaluate((details: HTMLDetailsElement) => {
      details.open = true
      const form = details.querySelector('form')
      for (const [name, value] of [
        ['body', `My own words. ${'x'.repeat(200)}`],
        ['version', '0'],
      ] as const) {
        const field = form?.elements.namedItem(name) as HTMLInputElement | HTMLTextAreaElement
        field.value = value
      }
      form?.requestSubmit()
    })
  await answered
}

async function searchTooOften(at: Page): Promise<void> {
  await at.evaluate(async (times) => {
    for (let sent = 0; sent < times; sent += 20) {
      await Promise.all(Array.from({ length: 20 }, () => fetch('/search?q=put')))
    }
  }, LIMITS.search.account.max)
  await at.reload()
}
