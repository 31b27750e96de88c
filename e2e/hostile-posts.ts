import { aPerson, type MadeCourse, type MadeQuestion } from '../src/testing/builders.ts'
import { expect, type Forum } from './forum.ts'
import { type Sender, senderOf } from './sender.ts'

/** What one string came to in every form: paths of the pages that show it now. */
export interface Posted {
  readonly text: string
  readonly personId: number
  /** null: refused. */
  readonly questionPath: string | null
}

/** Somebody gives themselves this name, then asks, answers, replies and tags with it. Each form takes it whole or refuses it. */
export async function postEverywhere(
  forum: Forum,
  course: MadeCourse,
  target: MadeQuestion,
  text: string,
): Promise<Posted> {
  const person = await aPerson(forum.db)
  const sender = await senderOf(forum, person)
  const looks = { language: 'system', time_zone: '', theme: 'system' }
  await takenOrRefused(sender, '/settings', { ...looks, display_name: text })
  const asked = { course: course.slug, body: 'What is this?' }
  const questionPath = await takenOrRefused(sender, '/questions', { ...asked, title: text })
  await takenOrRefused(sender, '/questions', { ...asked, title: 'A question with a tag', tags: text })
  const answerPath = await takenOrRefused(sender, `/questions/${target.id}/answers`, { body: text })
  const under =
    answerPath === null ? `/questions/${target.id}` : `/answers/${numberIn(answerPath, /#answer-(\d+)/)}`
  await takenOrRefused(sender, `${under}/replies`, { body: text })
  await expectStored(forum, person.id, text, { questionPath, answerPath })
  await readEverywhere(sender, text)
  return { text, personId: person.id, questionPath }
}

/** @returns where it led, as a path; null when it was refused with a page that says why */
async function takenOrRefused(
  sender: Sender,
  path: string,
  fields: Record<string, string>,
): Promise<string | null> {
  const answer = await sender.post(path, fields)
  const page = await answer.text()
  expect([303, 422], `${path} ${JSON.stringify(fields)}\n${page.slice(0, 300)}`).toContain(answer.status)
  return answer.status === 303 ? answer.headers.get('location') : null
}

/** What was taken is there as it was typed, but for its spelling in Unicode and blanks at its ends. */
async function expectStored(
  forum: Forum,
  personId: number,
  text: string,
  paths: { questionPath: string | null; answerPath: string | null },
): Promise<void> {
  const spelled = text.replace(/\r\n?/g, '\n').normalize('NFC')
  if (paths.questionPath !== null) {
    const id = numberIn(paths.questionPath, /^\/questions\/(\d+)/)
    const row = await forum.db
      .selectFrom('questions')
      .select('title')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.title).toBe(spelled.trim().replace(/\s+/gu, ' '))
  }
  if (paths.answerPath !== null) {
    const id = numberIn(paths.answerPath, /#answer-(\d+)/)
    const row = await forum.db
      .selectFrom('answers')
      .select(['body', 'author_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ body: spelled.replace(/^(?:[ \t]*\n)+|\s+$/gu, ''), author_id: personId })
  }
}

/** In addresses such a string is a name nobody has, or a value that counts as none; never a failure. */
async function readEverywhere(sender: Sender, text: string): Promise<void> {
  if (!text.isWellFormed()) return
  const value = encodeURIComponent(text)
  const paths = [
    `/tags/${value}`,
    `/courses/${value}`,
    `/questions/${value}`,
    `/questions?tag=${value}&course=${value}&lecture=${value}&sort=${value}&status=${value}&after=${value}`,
    `/sign-in?next=${value}`,
  ]
  for (const path of paths) {
    const answer = await sender.get(path)
    await answer.arrayBuffer()
    expect(answer.status, path).toBeLessThan(500)
  }
}

function numberIn(path: string, pattern: RegExp): number {
  return Number(pattern.exec(path)?.[1])
}
