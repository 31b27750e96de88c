import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
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
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { MAILING } from '../mailing/testing.ts'
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
    const { secret, baseUrl } = MAILING
    const settings = { replyAddress: 'reply@forum.example', baseUrl, keys: [secret] as const, log() {} }
    const to = await within(db, makeReplyAddress, settings.replyAddress, id, question.id, null)
    const source = `From: Bert Learner <${email}>\nTo: ${to}\n\n${text.replaceAll('@REPLY@', to)}`
    assert.equal(await receiveMail(db, settings, await readMail(Buffer.from(source))), 'posted')
    return (await rowOf(db, 'replies', { author_id: id })).id
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
    const { body } = await rowOf(forum.db, 'replies', id)
    assert.equal(body.replaceAll('\r\n', '\n'), 'Thank you.\n\nBert <b>\nExample University')
    assert.doesNotMatch((await browser.get(path)).body, /left out/)
  })

  test('is in their own data, and gone after a day and with the post', async () => {
    const { db } = forum
    const { browser, id } = await signed()
    const own = async () => (await browser.get('/settings/account/data')).json().replies[0].leftOutOfEmail
    assert.equal(await own(), 'Bert <b>\nExample University')
    const ago = (hours: number) =>
      setRows(db, 'left_out_texts', {}, { made_at: new Date(Date.now() - hours * 3_600_000) })
    await ago(23)
    assert.equal(await sweepTable(db, leftOutTexts), 0)
    await db.deleteFrom('replies').where('id', '=', id).execute()
    assert.deepEqual(await rowsOf(db, 'left_out_texts', { reply_id: id }), [])
    const other = await signed()
    await ago(25)
    assert.doesNotMatch((await other.browser.get(other.path)).body, /left out/)
    assert.ok((await sweepTable(db, leftOutTexts)) > 0)
    assert.deepEqual(await rowsOf(db, 'left_out_texts', {}), [])
  })

  test('of who is anonymous has no line that names them', async () => {
    const course = await aCourse(forum.db)
    await setRows(forum.db, 'courses', course.id, { allows_anonymous: true })
    const asker = await aPerson(forum.db, { displayName: 'Bert Learner' })
    const question = await aQuestion(forum.db, { course, author: asker, isAnonymous: true })
    const quoted = 'On Fri, Nov 27, 2026 at 1:15 AM Handup <@REPLY@> wrote:\n\n> x'
    const text = `It works.\n\n> my own\n\nBelow.\n\n${quoted}\n\nAnd here.\n\nBert Learner`
    await answered(asker, question, text)
    const page = textOf((await (await signedIn(forum.app, asker)).get(questionPath(question))).body)
    assert.match(page, new RegExp(`${SAYS} Below. And here. · Add`))
  })
})
