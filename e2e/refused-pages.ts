import type { Page } from 'playwright/test'
import { hashPassword } from '../src/accounts/identity/passwords.ts'
import type { Database } from '../src/database/schema.ts'
import { keepLeftOut } from '../src/forum/questions/left-out.ts'
import { LIMITS } from '../src/kernel/limits.ts'
import { setRows } from '../src/testing/rows.ts'
import { questionPath } from '../src/web/paths.ts'
import type { Forum } from './forum.ts'
import { by, page, refused, type Shown, sendAnyway, sendList } from './shown.ts'
import type { World } from './world.ts'

export const PASSWORD = 'four plain words here'

/** Pages of what the forum refuses, beside those that e2e/pages.ts has among their own. */
export const REFUSED_PAGES: readonly Shown[] = [
  ...by(
    'asker',
    page('a question edited meanwhile', ({ question }) => `/questions/${question.id}/edit`, {
      status: 409,
      act: sendOutdated,
    }),
    refused('a token without the password', tokensWithPassword, '/settings/tokens'),
  ),
  ...by(
    'instructor',
    page('a wrong list of members', membersOf, {
      status: 422,
      act: (at) => sendList(at, '#list', `nobody,${'x'.repeat(90)}`),
    }),
    page('a list of members with a quote that never closes', membersOf, {
      status: 422,
      act: (at) => sendList(at, '#list', 'email,role\n"mina@example.com,learner\njun@example.com,learner'),
    }),
    page('a list of members with two columns of addresses', membersOf, {
      status: 422,
      act: (at) =>
        sendList(
          at,
          '#list',
          'Namn;Elevens;Mammas\nMina;m@two.example;p@two.example\nJun;j@two.example;q@two.example',
        ),
    }),
    page('roles that a list of members names', membersOf, {
      act: (at) =>
        sendList(
          at,
          '#list',
          `Name,Email Address,Role\n${'W'.repeat(50)},${'x'.repeat(60)}@example.com,Teacher`,
        ),
    }),
    page('lines that an email had beside what was posted', answeredByMail),
  ),
  ...by(
    'stranger',
    page('a question that is too large', ({ course }) => `/questions/new?course=${course.slug}`, {
      status: 413,
      act: sendTooMuch,
    }),
    page('an answer with much code', askingAboutCode, {
      status: 422,
      act: async (at) => {
        await at.locator('#answer').fill(`Like this:\n\n\`\`\`\n${'let x = 1\n'.repeat(9)}\`\`\``)
        await sendAnyway(at, '/answers')
      },
    }),
  ),
  ...by(
    'admin',
    // Of somebody who searches nowhere else: the limit is theirs.
    page('searching too often', () => '/search?q=put', { status: 429, act: searchTooOften }),
  ),
]

function membersOf({ course }: World): string {
  return `/courses/${course.slug}/members`
}

async function answeredByMail({ question, answer }: World, { db }: Forum): Promise<string> {
  const text = `${'x'.repeat(200)}\n\nOn Tuesday someone wrote:`
  await db.deleteFrom('left_out_texts').where('answer_id', '=', answer.id).execute()
  await db.transaction().execute((write) => keepLeftOut(write, { table: 'answers', id: answer.id }, text))
  return questionPath(question)
}

async function askingAboutCode({ plain, course }: World, { db }: Forum): Promise<string> {
  await setRows(db, 'courses', course.id, { asks_about_code: 8 })
  return questionPath(plain)
}

async function tokensWithPassword({ asker }: World, { db }: Forum): Promise<string> {
  await setPassword(asker, db)
  return '/settings/tokens'
}

export async function setPassword({ id }: { readonly id: number }, db: Database): Promise<void> {
  await setRows(db, 'people', id, { password_hash: await hashPassword(PASSWORD) })
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
