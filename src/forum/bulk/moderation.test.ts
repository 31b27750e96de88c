import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { act, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { CaseChanged } from '../cases/decision.ts'
import { spammer, spammerUndo } from '../cases/spammer.ts'
import { caseOf, lettersTo, reported } from '../cases/testing.ts'
import { moderationBulk } from './moderation.ts'
import { MODERATION_ACTS } from './moderation-acts.ts'
import { carryOut, itemsOf } from './record.ts'

const AROUND = { baseUrl: 'http://localhost:3000', careful: null, language: 'en', log: () => {} } as const

suite('what staff do to several posts or cases that they look at', () => {
  const forum = sharedForum()

  /** A course with a question and two answers by one author. */
  async function aScene() {
    const { db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'assistant')
    const colleague = await aMember(db, course, 'assistant')
    const [author, reporter] = [await aMember(db, course), await aMember(db, course)]
    const question = await aQuestion(db, { course, author, title: 'Which verbs are safe?' })
    const answers = [
      await anAnswer(db, { question, author, body: 'Buy at zyxshop, all of you.' }),
      await anAnswer(db, { question, author, body: 'GET and HEAD, says zyxshop.' }),
    ]
    const names = [`question-${question.id}`, ...answers.map(({ id }) => `answer-${id}`)]
    const hold = async () => {
      for (const { id } of answers) await setRows(db, 'answers', id, { held_at: sql`now()`, held_for: 'all' })
    }
    const isShown = async () =>
      Promise.all(answers.map(async ({ id }) => (await rowOf(db, 'answers', id)).is_shown))
    const cases = async () => {
      for (const { id } of answers) await reported(db, { about: 'answer', id }, reporter.id)
      return Promise.all(answers.map(({ id }) => caseOf(db, { about: 'answer', id })))
    }
    const browser = await signedIn(forum.app, staff)
    const path = `/courses/${course.slug}/moderation/bulk`
    const send = async (fields: Readonly<Record<string, string | readonly string[]>>) => {
      const sent = await browser.post(path, fields)
      assert.equal(sent.statusCode, 303, textOf(sent.body))
      const report = String(sent.headers.location)
      return { report, said: textOf((await browser.get(report)).body) }
    }
    const undo = async (report: string) => {
      assert.equal((await browser.post(`${report}/undo`)).statusCode, 303)
      return textOf((await browser.get(report)).body)
    }
    const posts = { question, answers, names, hold, isShown, cases }
    return { db, course, staff, colleague, author, reporter, ...posts, browser, path, send, undo }
  }

  test('is releasing held posts, each told once, and is not taken back: the page says so before and after', async () => {
    const scene = await aScene()
    const { db, staff, author, question, answers, names, hold, isShown, browser, path, send, undo } = scene
    await hold()
    const before = textOf((await browser.get(`${path}?act=release&post=${names[1]}&post=${names[2]}`)).body)
    for (const part of [/This can’t be undone/, /2 posts/]) assert.match(before, part)
    const { report, said } = await send({ act: 'release', post: names })
    for (const part of [/Done for 2 of 3\./, /This can’t be undone/, /Nothing to change/])
      assert.match(said, part)
    assert.deepEqual(await isShown(), [true, true])
    const told = await rowsOf(db, 'notifications', { person_id: author.id })
    assert.deepEqual(valuesOf(told, 'reason'), ['released'])
    assert.doesNotMatch((await browser.get(report)).body, /action="[^"]*\/undo"/)
    assert.match(await undo(report), /Done for 2 of 3\./)
    assert.deepEqual(await isShown(), [true, true])
    const [entry, ...others] = await rowsOf(db, 'audit', { actor_id: staff.id })
    assert.deepEqual([entry?.act, others], ['bulk-act', []])
    const ids = `${question.id} answer ${answers.map(({ id }) => id).join(' ')}`
    assert.ok(JSON.stringify(entry?.detail).includes(`"ids":"${ids}"`), JSON.stringify(entry?.detail))
  })

  test('is rejecting held posts on one ground; after its undo they wait again', async () => {
    const { db, author, answers, names, hold, isShown, send, undo } = await aScene()
    await hold()
    const { report, said } = await send({ act: 'reject', post: names, ground: 'rude', note: 'Be kind.' })
    assert.match(said, /Done for 2 of 3\./)
    assert.match(said, /After an undo, these posts wait for review again/)
    const matter = await caseOf(db, { about: 'answer', id: answers[0]?.id ?? 0 })
    assert.deepEqual([matter.state, matter.reason, matter.note], ['upheld', 'rude', 'Be kind.'])
    assert.equal((await lettersTo(db, author)).length, 2)
    assert.deepEqual(await isShown(), [false, false])
    assert.match(await undo(report), /Undone for 2 of 2\./)
    assert.deepEqual(await isShown(), [false, false])
    const held = await Promise.all(answers.map(({ id }) => rowOf(db, 'answers', id)))
    assert.ok(held.every((post) => post.deleted_at === null && post.held_at !== null))
  })

  test('is declining cases, of which reporters hear, and is not taken back', async () => {
    const { db, reporter, cases, isShown, send, undo } = await aScene()
    const ids = (await cases()).map(({ id }) => String(id))
    const { report, said } = await send({ act: 'decline', case: [...ids, '999999999'] })
    assert.match(said, /Done for 2 of 3\./)
    assert.match(said, /the reporters are notified/)
    for (const id of ids) assert.equal((await rowOf(db, 'cases', Number(id))).state, 'declined')
    const told = await rowsOf(db, 'notifications', { person_id: reporter.id })
    assert.deepEqual(valuesOf(told, 'reason'), ['report', 'report'])
    await undo(report)
    assert.deepEqual(await isShown(), [true, true])
    assert.match((await send({ act: 'decline', case: ids })).said, /Nothing was changed.*Nothing to change/s)
  })

  test('is deleting by cases or by posts, on the ground of all: of spam nobody is told; its undo restores them', async () => {
    const { db, author, answers, names, cases, isShown, send, undo } = await aScene()
    const [first] = await cases()
    const bySpam = await send({ act: 'delete', case: String(first?.id), ground: 'spam' })
    assert.match(bySpam.said, /Done for 1 of 1\./)
    assert.equal((await rowOf(db, 'cases', first?.id ?? 0)).reason, 'spam')
    assert.equal((await lettersTo(db, author)).length, 0)
    const byPosts = await send({ act: 'delete', post: names, ground: 'rude', note: 'Be kind.' })
    assert.match(byPosts.said, /Done for 2 of 3\./)
    // Its open case is decided by that, and no other is opened.
    const decided = await rowsOf(db, 'cases', { answer_id: answers[1]?.id ?? 0 })
    assert.deepEqual([valuesOf(decided, 'state'), valuesOf(decided, 'is_reported')], [['upheld'], [true]])
    assert.deepEqual(await isShown(), [false, false])
    assert.match(await undo(byPosts.report), /Undone for 2 of 2\./)
    await undo(bySpam.report)
    assert.deepEqual(await isShown(), [true, true])
  })

  test('is marking the authors as spammers, each once, of which nobody is told; its undo brings back their posts', async () => {
    const { db, course, staff, colleague, author, names, hold, isShown, cases, send, undo } = await aScene()
    const matters = await cases()
    await hold()
    const other = await anAnswer(db, { question: await aQuestion(db, { course }), body: 'Buy here, too.' })
    const equal = await aQuestion(db, { course, author: colleague })
    const foreign = await aQuestion(db)
    const post = [...names, `answer-${other.id}`, `question-${equal.id}`, `question-${foreign.id}`]
    const { report, said } = await send({ act: 'spammer', post })
    for (const part of [/Done for 2 of 6\./, /You can’t do this here/, /It isn’t in this course/])
      assert.match(said, part)
    assert.deepEqual(await isShown(), [false, false])
    assert.ok((await rowOf(db, 'answers', other.id)).deleted_at)
    assert.equal((await rowOf(db, 'questions', foreign.id)).deleted_at, null)
    for (const { id } of matters) {
      const matter = await rowOf(db, 'cases', id)
      assert.deepEqual([matter.state, matter.reason], ['upheld', 'spam'])
    }
    const suspended = await rowsOf(db, 'measures', { person_id: author.id, kind: 'suspend' })
    assert.deepEqual(valuesOf(suspended, 'ended_at'), [null])
    assert.deepEqual(await rowsOf(db, 'notifications', { person_id: author.id }), [])
    assert.equal((await lettersTo(db, author)).length, 0)
    assert.deepEqual(valuesOf(await rowsOf(db, 'audit', { actor_id: staff.id }), 'act'), ['bulk-act'])
    assert.match(await undo(report), /Undone for 2 of 2\./)
    assert.equal((await rowOf(db, 'answers', other.id)).deleted_at, null)
    // As they were: they wait for review.
    assert.deepEqual(await isShown(), [false, false])
    const byCase = await send({ act: 'spammer', case: matters.map(({ id }) => String(id)) })
    assert.match(byCase.said, /Done for 1 of 2\./)
  })

  test('is done to nothing of another course, of an equal or of the admins, and names no title of it', async () => {
    const { db, course, staff, colleague, send } = await aScene()
    const foreign = await aQuestion(db, { title: 'A secret of elsewhere' })
    const elsewhere = await anAnswer(db, { question: foreign, body: 'A secret below it' })
    await setRows(db, 'answers', elsewhere.id, { held_at: sql`now()`, held_for: 'all' })
    // Somebody who looks after both courses acts in one.
    await aMember(db, { id: foreign.courseId }, 'assistant', staff)
    const equal = await aQuestion(db, { course, author: colleague, title: 'Of an equal' })
    const ids: string[] = []
    for (const { id } of [foreign, equal]) {
      await reported(db, { about: 'question', id }, null)
      ids.push(String((await caseOf(db, { about: 'question', id })).id))
    }
    const post = [`answer-${elsewhere.id}`, `question-${foreign.id}`]
    const reason = { ground: 'rude', note: 'Be kind.' }
    for (const fields of [
      { act: 'release', post },
      { act: 'reject', post, ...reason },
      { act: 'decline', case: ids },
      { act: 'delete', post, ...reason },
      { act: 'delete', case: ids, ...reason },
      { act: 'spammer', post },
    ]) {
      const { said } = await send(fields)
      for (const part of [/Nothing was changed\./, /isn’t in this course, or the admins decide about it/])
        assert.match(said, part, fields.act)
      assert.doesNotMatch(said, /secret|Of an equal/)
    }
    for (const id of ids) assert.equal((await rowOf(db, 'cases', Number(id))).state, 'open')
    assert.equal((await rowOf(db, 'answers', elsewhere.id)).held_for, 'all')
    const own = await aQuestion(db, { course, author: staff })
    const { said } = await send({ act: 'delete', post: `question-${own.id}`, ground: 'spam' })
    assert.match(said, /You can’t do this here/)
  })

  test('is the admins’ own in the queue of the forum, with posts of every course', async () => {
    const { db, answers, hold, names, isShown, path } = await aScene()
    await hold()
    const admin = await signedIn(forum.app, await aPerson(db, { isAdmin: true }))
    for (const [queue, says] of [
      [path, /Suspends the authors in this course for good/],
      ['/moderation/bulk', /Suspends the authors everywhere for good/],
    ] as const)
      assert.match(textOf((await admin.get(`${queue}?act=spammer&post=${names[1]}`)).body), says)
    const other = await aQuestion(db)
    const profile = await aPerson(db)
    await reported(db, { about: 'person', id: profile.id }, null)
    const matter = await caseOf(db, { about: 'person', id: profile.id })
    const said = async (fields: Readonly<Record<string, string | readonly string[]>>) => {
      const sent = await admin.post('/moderation/bulk', fields)
      assert.equal(sent.statusCode, 303)
      return textOf((await admin.get(String(sent.headers.location))).body)
    }
    assert.match(await said({ act: 'release', post: names.slice(1) }), /Done for 2 of 2\./)
    assert.deepEqual(await isShown(), [true, true])
    const post = [`question-${other.id}`, `answer-${answers[0]?.id}`]
    assert.match(await said({ act: 'delete', post, ground: 'spam' }), /Done for 2 of 2\./)
    const cases = { case: String(matter.id) }
    assert.match(await said({ act: 'delete', ...cases, ground: 'spam' }), /This measure isn’t possible here/)
    assert.match(await said({ act: 'decline', ...cases }), /Done for 1 of 1\./)
  })

  test('has a report for the staff of its queue alone', async () => {
    const { db, course, author, staff, names, browser } = await aScene()
    const input = { act: 'release', post: names }
    const admin = await aPerson(db, { isAdmin: true })
    const { bulkId: ofStaff } = await act(forum, moderationBulk, { actor: staff, key: course.slug, input })
    const { bulkId: ofAdmin } = await act(forum, moderationBulk, { actor: admin, key: null, input })
    const reader = await signedIn(forum.app, author)
    assert.equal((await reader.get(`/bulk/${ofStaff}`)).statusCode, 403)
    assert.equal((await browser.get(`/bulk/${ofAdmin}`)).statusCode, 404)
  })

  test('is refused whole where the form says too little or too much, with what was typed', async () => {
    const { course, staff, names, cases, browser, path } = await aScene()
    const ids = (await cases()).map(({ id }) => String(id))
    const many = Array.from({ length: 60 }, (_, index) => `answer-${index + 1}`)
    const more = Array.from({ length: 41 }, (_, index) => String(index + 1))
    await refuses(forum, moderationBulk, { actor: staff, key: course.slug }, [
      [{ act: 'release' }, 'post: bulk.none.moderation'],
      [{ act: 'delete', post: many, case: more, ground: 'spam' }, 'post: bulk.many'],
      [{ act: 'release', case: ids }, 'act: forms.choice'],
      [{ act: 'decline', post: names }, 'act: forms.choice'],
      [{ act: 'ban', post: names }, 'act: bulk.act.none'],
      [{ act: 'delete', post: 'person-1', ground: 'spam' }, 'post: forms.choice'],
      [{ act: 'delete', case: 'answer-1', ground: 'spam' }, 'case: forms.choice'],
      [{ act: 'delete', post: names }, 'ground: reports.form.noReason'],
      [{ act: 'reject', post: names, ground: 'rude' }, 'note: reasons.missing'],
    ])
    const refused = await browser.post(path, { act: 'delete', case: ids, note: 'Because of that.' })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /Because of that\./)
    assert.equal(refused.body.match(/name="case"[^>]*checked/g)?.length, 2)
    assert.match(refused.body, /value="delete" checked/)
    assert.match((await browser.get(path)).body, /Nothing selected/)
  })

  test('is done once where the same form comes twice, or is carried out twice at once', async () => {
    const { db, course, staff, hold, names, isShown, browser, path } = await aScene()
    await hold()
    const fields = { act: 'reject', post: names, ground: 'spam' }
    const token = await browser.token()
    const sent = await Promise.all([0, 1].map(() => browser.post(path, fields, { token })))
    assert.deepEqual(sent[0]?.headers.location, sent[1]?.headers.location)
    assert.equal((await rowsOf(db, 'bulk_acts', { made_by: staff.id })).length, 1)
    const input = { act: 'delete', post: names, ground: 'spam' }
    const { bulkId } = await act(forum, moderationBulk, { actor: staff, key: course.slug, input })
    const carry = () => carryOut(db, bulkId, MODERATION_ACTS.delete, { id: staff.id }, AROUND)
    await Promise.all([carry(), carry()])
    assert.deepEqual(valuesOf(await itemsOf(db, bulkId), 'outcome'), ['done', 'unchanged', 'unchanged'])
    assert.deepEqual(await isShown(), [false, false])
  })

  test('begins in the queues and on a case, where staff choose by boxes, 100 at a time', async () => {
    const { db, course, author, answers, question, hold, cases, browser } = await aScene()
    const queue = `/courses/${course.slug}/moderation`
    const [matter] = await cases()
    const boxes = async (path: string) =>
      [...(await browser.get(path)).body.matchAll(/name="(post|case)"\s+value="([^"]*)"/g)].map(
        ([, name, value]) => `${name} ${value}`,
      )
    const [first, second, ...none] = await boxes(queue)
    assert.deepEqual([first, second === undefined, none], [`case ${matter?.id}`, false, []])
    for (const view of ['objections', 'decided']) assert.deepEqual(await boxes(`${queue}?view=${view}`), [])
    await hold()
    const held = answers.map(({ id }) => `post answer-${id}`)
    assert.deepEqual(await boxes(`${queue}?view=held`), held)
    const others = await boxes(`/cases/${matter?.id}`)
    assert.deepEqual(others.toSorted(), [`post answer-${answers[1]?.id}`, `post question-${question.id}`])
    for (let number = 0; number < 31; number += 1) {
      const { id } = await anAnswer(db, { question, author })
      await setRows(db, 'answers', id, { held_at: sql`now()`, held_for: 'all' })
    }
    assert.equal((await boxes(`${queue}?view=held`)).length, 30)
    assert.match((await browser.get(`${queue}?view=held`)).body, /moderation\?view=held&amp;select=1/)
    assert.equal((await boxes(`${queue}?view=held&select=1`)).length, 33)
    const ofCase = (await browser.get(`/cases/${matter?.id}`)).body
    assert.match(textOf(ofCase), /33 other posts by/)
    const all = /<noscript><p><a [^>]*href="([^"]*)"/.exec(ofCase)?.[1]?.replaceAll('&amp;', '&') ?? ''
    assert.equal((await boxes(all)).length, 33, 'without scripts')
  })

  test('takes the boxes of 100 posts with all that is typed beside them, and says of one more that it is too many', async () => {
    const { names, browser, path, send } = await aScene()
    const unknown = Array.from({ length: 99 }, (_, index) => `reply-${999_999_999_999_000 + index}`)
    const post = [...unknown, names[1] ?? '']
    const why = { act: 'delete', ground: 'rude', rule: '', note: 'Be kind.' }
    const more = await browser.post(path, { ...why, post: [...post, names[2] ?? ''] })
    assert.equal(more.statusCode, 422, 'not one of too many fields')
    assert.match(textOf(more.body), /Select up to 100 at a time.*Be kind\./s)
    assert.match((await send({ ...why, post })).said, /Done for 1 of 100\./)
  })

  test('takes back by its undo no mark as a spammer that somebody else made since', async () => {
    const { course, colleague, author, names, isShown, send, undo } = await aScene()
    const { report } = await send({ act: 'spammer', post: names })
    const by = { actor: colleague, key: { personId: author.id, course: course.slug } }
    await act(forum, spammerUndo, by)
    await act(forum, spammer, { ...by, input: { sure: '1' } })
    assert.match(await undo(report), /Nothing was undone/)
    assert.deepEqual(await isShown(), [false, false])
  })

  test('goes on with the others where the case of one changed at the same moment', async () => {
    const { db, course, staff, names } = await aScene()
    const input = { act: 'release', post: names.slice(0, 2) }
    const { bulkId } = await act(forum, moderationBulk, { actor: staff, key: course.slug, input })
    const prepare =
      async ({ kind }: { kind: string }) =>
      async () => {
        if (kind === 'question') throw new CaseChanged()
        return {}
      }
    await carryOut(db, bulkId, { prepare, prepareUndo: null }, { id: staff.id }, AROUND)
    const items = await itemsOf(db, bulkId)
    assert.deepEqual(valuesOf(items, 'outcome'), ['refused', 'done'])
    assert.deepEqual(items[0]?.why, [{ key: 'bulk.why.edited' }])
  })

  test('is logged in one entry, however long the numbers are', async () => {
    const { db, course, staff } = await aScene()
    const post = Array.from({ length: 100 }, (_, index) => `reply-${999_999_999_999_999 - index}`)
    const input = { act: 'release', post }
    const { bulkId } = await act(forum, moderationBulk, { actor: staff, key: course.slug, input })
    assert.equal((await itemsOf(db, bulkId)).length, 100)
    assert.match(JSON.stringify(await rowsOf(db, 'audit', { actor_id: staff.id })), /"ids":"reply 9{15} /)
  })
})
