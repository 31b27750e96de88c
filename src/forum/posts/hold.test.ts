import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import type { Careful } from '../../kernel/operation.ts'
import { changeSiteSettings } from '../../kernel/rights/site-settings.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import {
  aCourse,
  aMember,
  aNewcomer,
  anAnswer,
  aPerson,
  aQuestion,
  type MadeCourse,
  type MadePerson,
  type PersonOptions,
} from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { postAnswer } from '../answers/operations.ts'
import { askQuestion } from '../questions/operations.ts'
import { replyToQuestion } from '../replies/operations.ts'
import { releaseKind } from './hold.ts'
import { hostsIn } from './signals.ts'
import { TEXT_EDITS } from './text-edit.ts'

const SENDS = { sendsMail: true }
const SENDS_NONE = { sendsMail: false }
const LONG = 'Buy the best answers to every assignment of this course from people who know them all by heart.'

const has200Posts = async (db: Database, { id }: MadeCourse) =>
  db
    .insertInto('course_authors')
    .values({ course_id: id, person_id: (await aPerson(db)).id, questions_count: 200 })
    .execute()

suite('posts of strangers, looked at with care', () => {
  const forum = sharedForum({ careful: SENDS })

  async function aScene() {
    const { db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const answering = (actor: MadePerson, body: string, careful: Careful = SENDS) => ({
      ...{ actor, key: question.id, input: { body }, careful },
    })
    const heldFor = async (actor: MadePerson, body: string, careful?: Careful) => {
      const { id } = await act(forum, postAnswer, answering(actor, body, careful))
      return (await rowOf(db, 'answers', id)).held_for
    }
    return {
      db,
      course,
      question,
      aStranger: (options?: PersonOptions) => aNewcomer(db, options),
      answering,
      heldFor,
    }
  }

  test('who has not confirmed their address waits for that, where mail is sent and the course holds such posts', async () => {
    const { db, course, aStranger, heldFor } = await aScene()
    const stranger = await aStranger({ isConfirmed: false })
    assert.equal(await heldFor(stranger, 'One.'), 'unconfirmed')
    assert.equal(await heldFor(stranger, 'Two.', SENDS_NONE), null)
    assert.equal(await heldFor(stranger, 'Three.', null), null)
    assert.equal(
      await heldFor(await aMember(db, course, 'learner', await aStranger({ isConfirmed: false })), 'Four.'),
      null,
    )
    await setRows(db, 'courses', course.id, { hold: 'none' })
    assert.equal(await heldFor(stranger, 'Five.'), null)
  })

  test('the forms say so before, and confirming lets through what was held for that reason alone', async () => {
    const { db, course, question, aStranger, heldFor } = await aScene()
    const stranger = await aStranger({ isConfirmed: false })
    const browser = await signedIn(forum.app, stranger)
    const says = async (path: string) => textOf((await browser.get(path)).body).includes('to post at once')
    assert.ok(await says(`/questions/new?course=${course.slug}`))
    assert.equal(await heldFor(stranger, 'Waits for the address.'), 'unconfirmed')
    const hosts = [1, 2, 3, 4, 5, 6].map((number) => `<https://shop-${number}.example/>`).join(' ')
    await setRows(db, 'people', stranger.id, { new_until: sql`now() - interval '1 day'` })
    assert.equal(await heldFor(stranger, hosts), 'hosts')
    await setRows(db, 'people', stranger.id, { email_confirmed_at: sql`now()` })
    await doJobs(db, releaseKind(db))
    const answers = await rowsOf(db, 'answers', { question_id: question.id })
    assert.deepEqual(new Set(valuesOf(answers, 'held_for')), new Set(['hosts', null]))
    assert.ok(!(await says(`/questions/new?course=${course.slug}`)))
  })

  test('on the first day a stranger asks 3 questions and posts 10 answers and replies, or as admins decide', async () => {
    const { db, course, question, aStranger, answering } = await aScene()
    const stranger = await aStranger()
    const ask = (number: number, careful: Careful = SENDS) =>
      refusalOf(forum, askQuestion, {
        ...{ actor: stranger, key: course.slug, careful },
        input: { title: `A question of number ${number}?`, body: `Body ${number}.` },
      })
    const asked = []
    for (const number of [1, 2, 3, 4]) asked.push(await ask(number))
    assert.deepEqual(asked, ['done', 'done', 'done', 'firstDay'])
    assert.equal(await ask(5, null), 'done')
    await changeSiteSettings(db, { firstDayPosts: 2 })
    const reply = { ...answering(stranger, 'A reply.'), key: question.id }
    assert.equal(await refusalOf(forum, replyToQuestion, reply), 'done')
    assert.equal(await refusalOf(forum, postAnswer, answering(stranger, 'An answer.')), 'done')
    assert.equal(await refusalOf(forum, postAnswer, answering(stranger, 'One more.')), 'firstDay')
    await changeSiteSettings(db, { firstDayPosts: 10 })
  })

  test('a link to a site that someone linked to holds nothing; more than 5 that nobody did, or 2 after 200 posts, do', async () => {
    const { db, course, question, aStranger, heldFor } = await aScene()
    const linking = (...numbers: number[]) =>
      numbers.map((number) => `<https://site-${number}.example/page>`).join(' ')
    await anAnswer(db, { question, body: linking(1, 2, 3) })
    assert.equal(await heldFor(await aStranger(), linking(1, 2, 3, 4, 5)), null)
    await has200Posts(db, course)
    assert.equal(await heldFor(await aStranger(), linking(1, 2, 3, 6, 7)), null)
    assert.equal(await heldFor(await aStranger(), linking(1, 2, 8, 9, 10)), 'hosts')
    const html =
      '<a href="https://one.example/x">x</a> <a href="http://localhost:3000/y">y</a> <code>https://two.example</code>'
    assert.deepEqual(hostsIn(html, 'http://localhost:3000'), ['one.example'])
  })

  test('the third copy of a text waits, nearly the same too; short ones, and what members write, never do', async () => {
    const { db, course, aStranger, heldFor } = await aScene()
    const copies = []
    for (const sign of ['!', '!!', '?', '…']) copies.push(await heldFor(await aStranger(), `${LONG}${sign}`))
    assert.deepEqual(copies, [null, null, 'same-text', 'same-text'])
    const quoted = `\`\`\`\n${LONG}\n\`\`\`\n\n> ${LONG}\n\nIs it this?`
    assert.equal(await heldFor(await aStranger(), quoted), null)
    assert.equal(await heldFor(await aMember(db, course), LONG), null)
    for (const _ of [1, 2, 3]) assert.equal(await heldFor(await aStranger(), 'Thank you!'), null)
  })

  test('a private copy is not compared: nobody learns of it', async () => {
    const { db, course, aStranger, heldFor } = await aScene()
    for (const _ of [1, 2, 3]) {
      const author = await aStranger()
      await aQuestion(db, { course, author, title: 'Private?', body: LONG, audience: 'staff' })
    }
    assert.equal(await heldFor(await aStranger(), LONG), null)
  })

  test('what its author edits is looked at again: an edit holds what was shown, and publishes nothing', async () => {
    const { db, aStranger, answering } = await aScene()
    const stranger = await aStranger()
    await setRows(db, 'people', stranger.id, { new_until: sql`now() - interval '1 day'` })
    const { id } = await act(forum, postAnswer, answering(stranger, 'Harmless.'))
    const edit = (body: string, version: number) =>
      act(forum, TEXT_EDITS.answers, { actor: stranger, key: id, input: { body, version }, careful: SENDS })
    const state = async () => {
      const { is_shown, held_for } = await rowOf(db, 'answers', id)
      return [is_shown, held_for]
    }
    assert.deepEqual(await state(), [true, null])
    const hosts = [1, 2, 3, 4, 5, 6].map((number) => `<https://late-${number}.example/>`).join(' ')
    await edit(hosts, 1)
    assert.deepEqual(await state(), [false, 'hosts'])
    await edit('Harmless again.', 2)
    assert.deepEqual(await state(), [false, 'hosts'])
  })

  /**
   * 20 fresh accounts ask with five links, answer and reply, and one of them asks the same 60 times, in a course of 200 posts.
   * @returns what each try came to; `seen`: how many posts of theirs are shown
   */
  async function aWave(careful: Careful) {
    const { db, course, question, aStranger } = await aScene()
    await has200Posts(db, course)
    const tries: string[] = []
    const ask = (actor: MadePerson, number: number) => {
      const links = [1, 2, 3, 4, 5].map((site) => `<https://shop-${site}.example/${number}>`).join(' ')
      const input = { title: 'Pass every exam without work', body: `${LONG}\n\n${links}` }
      return refusalOf(forum, askQuestion, { actor, key: course.slug, careful, input })
    }
    let last = await aStranger({ isConfirmed: false })
    for (let number = 1; number <= 20; number += 1) {
      last = await aStranger({ isConfirmed: false })
      const by = { actor: last, key: question.id, careful }
      tries.push(await ask(last, number))
      for (const [operation, words] of [
        [postAnswer, 'Write to'],
        [replyToQuestion, 'Ask for'],
      ] as const) {
        const input = { body: `${LONG} ${words} ${number}.` }
        tries.push(await refusalOf(forum, operation, { ...by, input }))
      }
    }
    for (let number = 1; number <= 60; number += 1) tries.push(await ask(last, number))
    const seen = async () => {
      const { rows } = await sql<{ seen: number }>`
        select count(*)::integer as seen from people join (
          select author_id, is_shown from questions where course_id = ${course.id}
          union all select author_id, is_shown from answers where question_id = ${question.id}
          union all select author_id, is_shown from replies where question_id = ${question.id}
        ) as post on people.id = author_id where new_until is not null and is_shown`.execute(db)
      return rows[0]?.seen
    }
    return { db, course, tries, seen }
  }

  test('of 120 posts of 20 fresh accounts few are seen, with a mail server or without, and five presses clean up', async () => {
    const seen = []
    for (const careful of [SENDS, SENDS_NONE]) {
      const wave = await aWave(careful)
      const { db, course, tries } = wave
      assert.deepEqual([tries.length, tries.filter((told) => told === 'firstDay').length], [120, 58])
      seen.push(await wave.seen())
      const browser = await signedIn(forum.app, await aMember(db, course, 'assistant'))
      const pages = [(await browser.get(`/courses/${course.slug}`)).body]
      const press = async (path: string | undefined) =>
        void pages.push((await browser.get((path ?? 'none').replaceAll('&amp;', '&'))).body)
      const last = () => pages.at(-1) ?? ''
      // Without scripts: Moderation, Held, Select all, Spammer, Apply.
      await press(/href="(\/courses\/[\w-]+\/moderation)"/.exec(last())?.[1])
      await press(/href="([^"]*[?&;]view=held)"/.exec(last())?.[1])
      await press(/<noscript><a [^>]*href="([^"]*)"/.exec(last())?.[1])
      const chosen = () =>
        [...last().matchAll(/name="post"\s+value="([^"]*)"[^>]*\schecked/g)].map(([, name = '']) => name)
      assert.deepEqual(await markupMistakes(last()), [])
      const path = `/courses/${course.slug}/moderation/bulk`
      assert.ok(last().includes(`action="${path}"`))
      await press(`${path}?act=spammer&post=${chosen().join('&post=')}`)
      const sent = await browser.post(path, { act: 'spammer', post: chosen() })
      pages.push((await browser.follow(sent)).body)
      assert.match(textOf(last()), /Done for 20 of 6\d\./)
      assert.equal(pages.length - 1, 5)
      assert.equal(await wave.seen(), 0)
      await press(`/courses/${course.slug}/moderation?view=held`)
      assert.match(last(), /No posts are waiting/)
    }
    assert.deepEqual(seen, [0, 2])
  })
})
