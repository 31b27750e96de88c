import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { type Browser, signedIn } from '../testing/browser.ts'
import { aCourse, aPerson, aQuestion, type MadeQuestion } from '../testing/builders.ts'
import { sharedForum, type TestForum } from '../testing/forum.ts'
import { hostileStrings } from '../testing/hostile-strings.ts'
import { withoutEscapeSequences } from '../text/characters.ts'

const STRINGS = hostileStrings()
/** Strings written under one question, which a refused form shows again. */
const HEAP = 60

/** That pages show them as text is for e2e/hostile.spec.ts to look at, in a browser. */
suite('hostile strings', () => {
  const forum = sharedForum()

  for (let from = 0; from < STRINGS.length; from += HEAP) {
    const heap = STRINGS.slice(from, from + HEAP)

    test(`from ${from} on are taken whole by each form or refused`, async () => {
      const course = await aCourse(forum.db)
      const target = await aQuestion(forum.db, { course })
      const person = await aPerson(forum.db)
      const browser = await signedIn(forum.app, person)
      const forms: Forms = { browser, token: await browser.token(), personId: person.id }
      for (const text of heap) {
        await rename(forum, forms, text)
        await ask(forum, forms, course.slug, text)
        await tag(forum, forms, course.slug, text)
        await answerAndReply(forum, forms, target, text)
      }
    })

    test(`from ${from} on are names nobody has in addresses, or values that count as none`, async () => {
      const browser = await signedIn(forum.app, await aPerson(forum.db))
      for (const text of heap) await readEverywhere(browser, text)
    })
  }
})

/** Who sends forms, with the token that all of theirs carry. */
interface Forms {
  readonly browser: Browser
  readonly token: string
  readonly personId: number
}

/** @returns where it led, as a path; null when it was refused with a page that says why */
async function takenOrRefused(
  { browser, token }: Forms,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<string | null> {
  const answer = await browser.post(path, fields, { token })
  const told = `${path} ${JSON.stringify(fields)}\n${answer.body.slice(0, 300)}`
  assert.ok([303, 422].includes(answer.statusCode), `${answer.statusCode} ${told}`)
  return answer.statusCode === 303 ? leadsTo(answer) : null
}

async function rename({ db }: TestForum, forms: Forms, text: string): Promise<void> {
  const looks = { language: 'system', time_zone: '', theme: 'system' }
  if ((await takenOrRefused(forms, '/settings', { ...looks, display_name: text })) === null) return
  const { display_name } = await db
    .selectFrom('people')
    .select('display_name')
    .where('id', '=', forms.personId)
    .executeTakeFirstOrThrow()
  assert.equal(display_name, onOneLine(text))
}

async function ask({ db }: TestForum, forms: Forms, course: string, text: string): Promise<void> {
  const path = await takenOrRefused(forms, '/questions', { course, body: 'What is this?', title: text })
  if (path === null) return
  const { title } = await db
    .selectFrom('questions')
    .select('title')
    .where('id', '=', numberIn(path, /^\/questions\/(\d+)/))
    .executeTakeFirstOrThrow()
  assert.equal(title, onOneLine(text))
}

async function tag({ db }: TestForum, forms: Forms, course: string, text: string): Promise<void> {
  const asked = { course, title: 'A question with a tag', body: 'What is this?', tags: text }
  const path = await takenOrRefused(forms, '/questions', asked)
  if (path === null) return
  const tags = await db
    .selectFrom('question_tags')
    .innerJoin('tags', 'tags.id', 'question_tags.tag_id')
    .select('tags.name')
    .where('question_id', '=', numberIn(path, /^\/questions\/(\d+)/))
    .execute()
  const typed = spelled(text).toLowerCase().replace(/\s+/gu, '-')
  for (const { name } of tags) assert.ok(typed.includes(name), `${name} of ${text}`)
}

async function answerAndReply(
  { db }: TestForum,
  forms: Forms,
  target: MadeQuestion,
  text: string,
): Promise<void> {
  const path = await takenOrRefused(forms, `/questions/${target.id}/answers`, { body: text })
  const id = path === null ? null : numberIn(path, /#answer-(\d+)/)
  if (id !== null) {
    const row = await db
      .selectFrom('answers')
      .select(['body', 'author_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(row, { body: asBody(text), author_id: forms.personId })
  }
  const under = id === null ? `/questions/${target.id}` : `/answers/${id}`
  const reply = await takenOrRefused(forms, `${under}/replies`, { body: text })
  if (reply === null) return
  const { body } = await db
    .selectFrom('replies')
    .select('body')
    .where('id', '=', numberIn(reply, /#reply-(\d+)/))
    .executeTakeFirstOrThrow()
  assert.equal(body, asBody(text))
}

async function readEverywhere(browser: Browser, text: string): Promise<void> {
  if (!text.isWellFormed()) return
  const value = encodeURIComponent(text)
  for (const path of [
    `/tags/${value}`,
    `/courses/${value}`,
    `/questions/${value}`,
    `/questions?tag=${value}&course=${value}&lecture=${value}&sort=${value}&status=${value}&after=${value}`,
    `/sign-in?next=${value}`,
  ])
    assert.ok((await browser.get(path)).statusCode < 500, path)
}

/** What was taken is there as it was typed, but for its spelling in Unicode and blanks at its ends. A body is without a terminal's colours. */
function spelled(text: string): string {
  return text.replace(/\r\n?/g, '\n').normalize('NFC')
}

function onOneLine(text: string): string {
  return spelled(text).trim().replace(/\s+/gu, ' ')
}

function asBody(text: string): string {
  return withoutEscapeSequences(spelled(text)).replace(/^(?:[ \t]*\n)+|\s+$/gu, '')
}

function leadsTo(answer: LightMyRequestResponse): string {
  return String(answer.headers.location)
}

function numberIn(path: string, pattern: RegExp): number {
  return Number(pattern.exec(path)?.[1])
}
