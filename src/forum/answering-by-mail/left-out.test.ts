import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { sweepTable } from '../../database/terms.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import {
  aCourse,
  aMember,
  aPerson,
  aQuestion,
  type MadePerson,
  type MadeQuestion,
} from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'
import { questionPath } from '../../web/paths.ts'
import { leftOutTexts } from '../questions/left-out.ts'
import { makeReplyAddress } from './keys.ts'
import { readMail } from './read-mail.ts'
import { receiveMail } from './receive.ts'

suite('what an email had beside what was posted', () => {
  const forum = sharedForum()
  const SAYS = '2 lines of your email were left out: Show'

  /** Answers an email about the question. @returns the id of the reply */
  async function answered({ id, email }: MadePerson, question: MadeQuestion, text: string): Promise<number> {
    const { db } = forum
    const replyAddress = 'reply@forum.example'
    const to = await db
      .transaction()
      .execute((write) => makeReplyAddress(write, replyAddress, id, question.id, null))
    const settings = { replyAddress, baseUrl: 'https://forum.example', keys: ['x'.repeat(32)] as const }
    const mail = await readMail(
      Buffer.from(`From: Bert Learner <${email}>\nTo: ${to}\n\n${text.replaceAll('@REPLY@', to)}`),
    )
    assert.equal(await receiveMail(db, { ...settings, log: () => undefined }, mail), 'posted')
    const reply = db.selectFrom('replies').select('id').where('author_id', '=', id).orderBy('id', 'desc')
    return (await reply.executeTakeFirstOrThrow()).id
  }

  const SIGNED = 'Thank you.\n\n-- \nBert <b>\nExample University'
  async function signed() {
    const author = await aPerson(forum.db)
    const question = await aQuestion(forum.db)
    const id = await answered(author, question, SIGNED)
    return { author, question, id, browser: await signedIn(forum.app, author), path: questionPath(question) }
  }

  test('is shown under the post to its author, and to no one else', async () => {
    const { browser, path, question } = await signed()
    const page = (await browser.get(path)).body
    assert.match(textOf(page), new RegExp(`${SAYS} Bert <b> Example University · Add`))
    assert.deepEqual(await markupMistakes(page), [])
    const staff = await aMember(forum.db, { id: question.courseId }, 'instructor')
    const admin = await aPerson(forum.db, { isAdmin: true })
    const others = [staff, admin, await aPerson(forum.db)].map((person) => signedIn(forum.app, person))
    for (const other of [visitor(forum.app), ...(await Promise.all(others))])
      assert.doesNotMatch((await other.get(path)).body, /left out|Example University/)
  })

  test('is added by one press, by the form that edits the post', async () => {
    const { browser, path, id } = await signed()
    const page = (await browser.get(path)).body
    const [form = ''] =
      new RegExp(`<form method="post" action="/replies/${id}/edit">[^]*?</form>`).exec(page) ?? []
    const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
    ])
    const { _csrf, ...typed } = Object.fromEntries(fields)
    assert.equal((await browser.post(`/replies/${id}/edit`, typed)).statusCode, 303)
    const reply = forum.db.selectFrom('replies').select('body').where('id', '=', id)
    const { body } = await reply.executeTakeFirstOrThrow()
    assert.equal(body.replaceAll('\r\n', '\n'), 'Thank you.\n\nBert <b>\nExample University')
    assert.doesNotMatch((await browser.get(path)).body, /left out/)
  })

  test('is in their own data, and gone after a day and with the post', async () => {
    const { browser, author, id } = await signed()
    const own = async () => (await browser.get('/settings/account/data')).json().replies[0].leftOutOfEmail
    assert.equal(await own(), 'Bert <b>\nExample University')
    const rows = forum.db.selectFrom('left_out_texts').select('text')
    await sql`update left_out_texts set made_at = now() - interval '23 hours'`.execute(forum.db)
    assert.equal(await sweepTable(forum.db, leftOutTexts), 0)
    await sql`delete from replies where id = ${id}`.execute(forum.db)
    assert.equal((await rows.where('reply_id', '=', id).execute()).length, 0)
    const other = await signed()
    await sql`update left_out_texts set made_at = now() - interval '25 hours'`.execute(forum.db)
    assert.doesNotMatch((await other.browser.get(other.path)).body, /left out/)
    assert.ok((await sweepTable(forum.db, leftOutTexts)) > 0)
    assert.equal((await rows.execute()).length, 0, String(author.id))
  })

  test('of who is anonymous has no line that names them', async () => {
    const course = await aCourse(forum.db)
    await setRows(forum.db, 'courses', course.id, { allows_anonymous: true })
    const asker = await aPerson(forum.db, { displayName: 'Bert Learner' })
    const question = await aQuestion(forum.db, { course, author: asker, isAnonymous: true })
    const quoted = 'On Fri, Nov 27, 2026 at 1:15 AM Handup <@REPLY@> wrote:\n\n> x'
    await answered(
      asker,
      question,
      `It works.\n\n> my own\n\nBelow.\n\n${quoted}\n\nAnd here.\n\nBert Learner`,
    )
    const page = textOf((await (await signedIn(forum.app, asker)).get(questionPath(question))).body)
    assert.match(page, new RegExp(`${SAYS} Below. And here. · Add`))
  })
})
