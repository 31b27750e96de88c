import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { hashPassword } from '../../accounts/identity/passwords.ts'
import { PASSWORD } from '../../accounts/testing.ts'
import { aToken } from '../../accounts/tokens/testing.ts'
import { aProgram } from '../../doors/api/testing.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { refusalOf } from '../../testing/act.ts'
import { type Fields, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { readMail } from '../answering-by-mail/read-mail.ts'
import { receiveMail } from '../answering-by-mail/receive.ts'
import { postAnswer } from '../answers/operations.ts'
import { mailDue } from '../mailing/notifier.ts'
import { picture, upload } from '../pictures/pictures-testing.ts'
import { endSuspensions, suspend } from './acts-on-people.ts'
import { forumOfCases } from './scene-testing.ts'

const RECEIVER = {
  ...{ replyAddress: 'reply@forum.example', baseUrl: 'https://forum.example', log: () => undefined },
  keys: ['x'.repeat(32)] as const,
}

suite('a suspended person', () => {
  const forum = forumOfCases()

  /** Someone who asked in their only course, was mailed an answer, wrote a draft, and was suspended after that. */
  async function aScene() {
    const { app, db } = forum
    const course = await aCourse(db, { timeZone: 'Asia/Seoul' })
    const instructor = await aMember(db, course, 'instructor')
    const person = await aPerson(db, { passwordHash: await hashPassword(PASSWORD) })
    await aMember(db, course, 'learner', person)
    const question = await aQuestion(db, { course, author: person })
    await anAnswer(db, { question })
    await mailDue(
      db,
      { error: () => assert.fail('a mail could not be written') },
      { ...RECEIVER, secret: RECEIVER.keys[0], soonSeconds: 0, isSent: false },
    )
    const { headers } = await rowOf(db, 'mails', { person_id: person.id })
    const browser = await signedIn(app, person)
    const program = aProgram(app, await aToken(forum, person, ['read', 'write']))
    const place = `/questions/${question.id}/answers`
    const draft = await browser.post('/drafts', { place, body: 'A draft of mine', version: 0 })
    assert.equal(draft.statusCode, 303)
    const id = await within(db, suspend, instructor.id, {
      ...{ personId: person.id, courseId: course.id, until: new Date(Date.now() + 9 * 86_400_000) },
      note: 'Be kind.',
    })
    return {
      ...{ db, app, course, instructor, person, question, browser, program, place },
      measureId: id ?? 0,
      replyTo: headers['Reply-To'] ?? '',
    }
  }

  test('writes through no door, and is told why', async () => {
    const { db, person, question, course, browser, program, place, replyTo } = await aScene()
    const said = /suspended in .*until .*Be kind\./s
    const asked = { title: 'May I?', body: 'Typed' }
    const drafts = () => rowsOf(db, 'drafts', { person_id: person.id })
    const form = async (path: string, fields: Fields) => {
      const told = answered(await browser.post(path, fields))
      assert.match(told.text, /zyxtyped/, path)
      return told
    }
    const doors: Readonly<Record<string, () => Promise<{ status: number; text: string }>>> = {
      'a form': async () => form(place, { body: 'zyxtyped' }),
      'a reply’s form': async () => form(`/questions/${question.id}/replies`, { body: 'zyxtyped' }),
      'a question’s form': async () =>
        form('/questions', { course: course.slug, title: 'May I?', body: 'zyxtyped', tags: '' }),
      'an edit': async () => form(`/questions/${question.id}/edit`, { body: 'zyxtyped', version: 1 }),
      'a draft that is posted': async () => {
        const [draft] = await drafts()
        return answered(await browser.post(place, { body: 'A draft of mine', draft: draft?.id ?? 0 }))
      },
      'an upload by a script': async () => answered(await upload(browser, { file: await picture() })),
      'an upload by a form': async () => {
        const sent = { file: await picture(), accept: 'text/html', fields: { body: 'Typed', to: place } }
        const { status, text } = answered(await upload(browser, sent))
        assert.match(text, /Typed/)
        return { status, text }
      },
      'a token': async () =>
        answered(await program.send('POST', `/questions/${question.id}/answers`, { body: 'Typed' })),
      'a question by a token': async () =>
        answered(await program.send('POST', `/courses/${course.slug}/questions`, asked)),
      'an email': async () => {
        const source = `From: <${person.email}>\r\nTo: <${replyTo}>\r\nMessage-ID: <s@x.example>\r\n\r\nTyped`
        assert.equal(await receiveMail(db, RECEIVER, await readMail(Buffer.from(source))), 'refused')
        const mails = await rowsOf(db, 'mails', { person_id: person.id })
        return { status: 403, text: mails.at(-1)?.text ?? '' }
      },
    }
    for (const [door, write] of Object.entries(doors)) {
      const { status, text } = await write()
      assert.equal(status, 403, door)
      assert.match(text, said, door)
    }
    const posts = async () => [
      ...(await rowsOf(db, 'answers', { author_id: person.id })),
      ...(await rowsOf(db, 'replies', { author_id: person.id })),
    ]
    assert.deepEqual([await posts(), await rowsOf(db, 'images', { uploader_id: person.id })], [[], []])
    assert.equal((await drafts()).length, 1, 'the draft is kept')
    await aMember(db, await aCourse(db), 'learner', person)
    const sent = await upload(browser, { file: await picture() })
    assert.equal(sent.statusCode, 201, 'for another course')
    const posted = answered(await browser.post(place, { body: sent.json().markdown }))
    assert.equal(posted.status, 403, 'not in this one')
    assert.match(posted.text, said)
    assert.deepEqual(await posts(), [])
    const elsewhere = { actor: person, key: (await aQuestion(db)).id, input: { body: 'Typed' } }
    assert.equal(await refusalOf(forum, postAnswer, elsewhere), 'done')
  })

  test('still downloads their data, objects, leaves the course, deletes the account and signs out', async () => {
    const { db, course, person, browser, measureId } = await aScene()
    assert.equal((await browser.get('/settings/account/data')).statusCode, 200)
    assert.equal((await browser.post(`/measures/${measureId}/objection`, { note: 'I was.' })).statusCode, 303)
    assert.equal((await rowOf(db, 'objections', { measure_id: measureId })).note, 'I was.')
    assert.equal((await browser.post(`/courses/${course.slug}/leaving`)).statusCode, 303)
    assert.equal((await browser.post('/sign-out')).statusCode, 303)
    const again = await signedIn(forum.app, person)
    const leaving = { posts: 'keep', current_password: PASSWORD }
    assert.equal((await again.post('/settings/account/delete', leaving)).headers.location, '/')
  })

  test('is told so above the forms before writing, in the time of the course, until that is lifted', async () => {
    const { db, app, course, instructor, person, question, browser } = await aScene()
    const noteOn = async (path: string) =>
      /<p class="note alarm">([^<]*)<\/p>/.exec((await browser.get(path)).body)?.[1]
    const forms = [questionPath(question), `/questions/new?course=${course.slug}`]
    const { ends_at: until } = await rowOf(db, 'measures', { person_id: person.id })
    const { text } = writtenMoment(until ?? new Date(), 'Asia/Seoul', translatorOf('en'))
    for (const path of forms) {
      const said = await noteOn(path)
      assert.ok(said?.includes(`until ${text}. Reason: “Be kind.”`), said)
    }
    const ending = { personId: person.id, courseId: course.id, note: '' }
    await within(db, endSuspensions, instructor.id, ending)
    await app.changes?.caughtUp()
    for (const path of forms) assert.equal(await noteOn(path), '')
  })
})

const answered = ({ statusCode, body }: { statusCode: number; body: string }) => ({
  status: statusCode,
  text: textOf(body),
})
