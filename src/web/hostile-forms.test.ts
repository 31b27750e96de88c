import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { profileChange } from '../accounts/settings/operations.ts'
import { inSession } from '../accounts/testing.ts'
import { postAnswer } from '../forum/answers/operations.ts'
import { askQuestion } from '../forum/questions/operations.ts'
import { replyToAnswer, replyToQuestion } from '../forum/replies/operations.ts'
import type { Operation } from '../kernel/operation.ts'
import { Refused } from '../kernel/problem.ts'
import { act } from '../testing/act.ts'
import { type Browser, signedIn } from '../testing/browser.ts'
import { aCourse, aPerson, aQuestion } from '../testing/builders.ts'
import { sharedForum, type TestForum } from '../testing/forum.ts'
import { hostileStrings } from '../testing/hostile-strings.ts'
import { rowOf } from '../testing/rows.ts'
import { withoutEscapeSequences } from '../text/characters.ts'

const STRINGS = hostileStrings()
/** Strings written under one question. */
const HEAP = 60

/** That pages show them as text is for e2e/hostile.spec.ts to look at, in a browser. */
suite('hostile strings', () => {
  const forum = sharedForum()

  for (let from = 0; from < STRINGS.length; from += HEAP) {
    const heap = STRINGS.slice(from, from + HEAP)

    test(`from ${from} on are taken whole by each operation or refused`, async () => {
      const course = await aCourse(forum.db)
      const writer = await aWriter(forum)
      const { id } = await aQuestion(forum.db, { course })
      for (const text of heap) {
        await rename(writer, text)
        await tag(writer, course.slug, text)
        await answerAndReply(writer, id, text)
      }
    })

    test(`from ${from} on are taken whole by a form or shown as refused`, async () => {
      const { slug: course } = await aCourse(forum.db)
      const browser = await signedIn(forum.app, await aPerson(forum.db))
      const token = await browser.token()
      for (const title of heap) {
        const fields = { course, title, body: 'What is this?' }
        const answer = await browser.post('/questions', fields, { token })
        const told = `${answer.statusCode} ${JSON.stringify(title)}\n${answer.body.slice(0, 300)}`
        assert.ok([303, 422].includes(answer.statusCode), told)
        if (answer.statusCode === 422) continue
        const id = Number(/^\/questions\/(\d+)/.exec(String(answer.headers.location))?.[1])
        assert.equal((await rowOf(forum.db, 'questions', id)).title, onOneLine(title))
      }
    })

    test(`from ${from} on are names nobody has in addresses, or values that count as none`, async () => {
      const browser = await signedIn(forum.app, await aPerson(forum.db))
      for (const text of heap) await readEverywhere(browser, text)
    })
  }
})

type Writer = Awaited<ReturnType<typeof aWriter>>

async function aWriter(forum: TestForum) {
  const own = await inSession(forum.db, await aPerson(forum.db))
  /** @returns null when it was refused for a field */
  async function taken<Key, Outcome>(
    operation: Operation<Key, Outcome>,
    key: Key,
    input: Readonly<Record<string, string>>,
  ): Promise<Outcome | null> {
    try {
      return await act(forum, operation, { actor: own.actor, key, input })
    } catch (error) {
      if (error instanceof Refused) return null
      throw error
    }
  }
  return { db: forum.db, own, taken }
}

async function rename({ db, own, taken }: Writer, text: string): Promise<void> {
  const looks = { language: 'system', time_zone: '', theme: 'system' }
  if ((await taken(profileChange, own.key, { ...looks, display_name: text })) === null) return
  assert.equal((await rowOf(db, 'people', own.actor.id)).display_name, onOneLine(text))
}

async function tag({ db, taken }: Writer, course: string, text: string): Promise<void> {
  const fields = { title: 'A question with a tag', body: 'What is this?', tags: text }
  const asked = await taken(askQuestion, course, fields)
  if (asked === null) return
  const tags = await db
    .selectFrom('question_tags')
    .innerJoin('tags', 'tags.id', 'question_tags.tag_id')
    .select('tags.name')
    .where('question_id', '=', asked.id)
    .execute()
  const typed = spelled(text).toLowerCase().replace(/\s+/gu, '-')
  for (const { name } of tags) assert.ok(typed.includes(name), `${name} of ${text}`)
}

async function answerAndReply({ db, own, taken }: Writer, question: number, body: string): Promise<void> {
  const answer = await taken(postAnswer, question, { body })
  if (answer !== null) {
    const { body: kept, author_id: authorId } = await rowOf(db, 'answers', answer.id)
    assert.deepEqual([kept, authorId], [asBody(body), own.actor.id])
  }
  const reply =
    answer === null
      ? await taken(replyToQuestion, question, { body })
      : await taken(replyToAnswer, answer.id, { body })
  if (reply !== null) assert.equal((await rowOf(db, 'replies', reply.id)).body, asBody(body))
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
