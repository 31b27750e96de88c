import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { doJobs } from '../../jobs/do-jobs.ts'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aReply } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { writtenDay } from '../../text/dates.ts'
import { personPath } from '../../web/paths.ts'
import { caseLettersKind } from './letters.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { caseOf, measuresOf, reported } from './testing.ts'

const LETTERS = { baseUrl: 'https://forum.example', timeZone: 'UTC' }

suite('acts on a person', () => {
  const forum = forumOfCases()

  test('people whom staff can’t meet in their course aren’t there to suspend: no case names them, no letter reaches them', async () => {
    const { db, course, question, browsers } = await aReportedScene(forum)
    const [inside, nowhere, former] = [
      await aMember(db, await aCourse(db, { isPublic: false })),
      await aPerson(db),
      await aPerson(db),
    ]
    await anAnswer(db, { question, author: former })
    await sql`delete from course_members where person_id = ${former.id}`.execute(db)
    const acts = ['suspension', 'suspension/end', 'posts/deletion', 'posts/restoration']
    const statuses = async (by: keyof typeof browsers, id: number) =>
      Promise.all(
        acts.map(
          async (act) =>
            (await browsers[by].post(`/people/${id}/${act}`, { course: course.slug, reason: 'spam' }))
              .statusCode,
        ),
      )
    for (const { id } of [inside, nowhere]) {
      for (const by of ['assistant', 'instructor'] as const)
        assert.deepEqual(await statuses(by, id), [404, 404, 404, 404])
      assert.deepEqual(await statuses('reporter', id), [403, 403, 403, 403], 'as of anyone')
      assert.deepEqual(await db.selectFrom('cases').select('id').where('person_id', '=', id).execute(), [])
    }
    const path = `/people/${former.id}/suspension`
    assert.equal((await browsers.assistant.post(path, { course: course.slug })).statusCode, 303)
  })

  test('staff suspend, lift, delete and restore all posts of an account below them, in their course', async () => {
    const { db, course, author, assistant, browsers, answer, question } = await aReportedScene(forum)
    const reply = await aReply(db, { answer, author, body: 'And again' })
    const elsewhere = await anAnswer(db, { author })
    const act = (by: keyof typeof browsers, path: string, fields = {}) =>
      browsers[by].post(`/people/${author.id}/${path}`, { course: course.slug, ...fields })
    assert.equal((await act('reporter', 'suspension', { reason: 'No' })).statusCode, 403)
    assert.equal(
      (await browsers.assistant.post(`/people/${author.id}/suspension`, { course: '' })).statusCode,
      404,
    )
    assert.equal(
      (await browsers.assistant.post(`/people/${assistant.id}/suspension`, { course: course.slug }))
        .statusCode,
      403,
    )
    assert.equal((await act('assistant', 'suspension', { until: '1999-01-01' })).statusCode, 422)
    const profile = personPath(author)
    const offered = async (by: keyof typeof browsers) => {
      const { body } = await browsers[by].get(profile)
      assert.deepEqual(await markupMistakes(body), [])
      return ['suspension', 'suspension/end', 'posts/deletion', 'posts/restoration'].filter((path) =>
        body.includes(`action="/people/${author.id}/${path}"`),
      )
    }
    assert.deepEqual(await offered('assistant'), ['suspension', 'posts/deletion'])
    assert.deepEqual(await offered('reporter'), [])
    const until = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10)
    const untilText = writtenDay(until, 'en')
    const sent = await Promise.all(
      ['One', 'Two', 'Three'].map((reason) => act('assistant', 'suspension', { until, reason })),
    )
    assert.deepEqual(sent.map(({ statusCode }) => statusCode).toSorted(), [303, 409, 409])
    const inForce = await db
      .selectFrom('measures')
      .select('id')
      .where('person_id', '=', author.id)
      .where('ended_at', 'is', null)
      .execute()
    assert.equal(inForce.length, 1)
    assert.deepEqual(await offered('instructor'), ['suspension/end', 'posts/deletion'])
    const shownTo = async (by: keyof typeof browsers) => textOf((await browsers[by].get(profile)).body)
    assert.match(await shownTo('instructor'), new RegExp(`Suspended in .* until ${untilText}`))
    assert.doesNotMatch(await shownTo('reporter'), /Suspended/)
    const second = await act('instructor', 'suspension', { until: '', reason: 'zyxkept' })
    assert.equal(second.statusCode, 409)
    assert.match(textOf(second.body), new RegExp(`already suspended here, until ${untilText}.*zyxkept`, 's'))
    assert.deepEqual(await markupMistakes(second.body), [])
    assert.equal(
      (await browsers.author.post(`/questions/${question.id}/answers`, { body: 'x' })).statusCode,
      403,
    )
    assert.equal((await act('instructor', 'suspension/end')).statusCode, 303)
    assert.equal(
      (await browsers.author.post(`/questions/${question.id}/votes`, { value: 1 })).statusCode,
      303,
    )
    const shown = async () => {
      const answers = await db
        .selectFrom('answers')
        .select(['id', 'is_shown'])
        .where('author_id', '=', author.id)
        .orderBy('id')
        .execute()
      const replies = await db.selectFrom('replies').select('is_shown').where('id', '=', reply.id).execute()
      return [...answers, ...replies].map(({ is_shown: is }) => is)
    }
    assert.equal(elsewhere.id > answer.id, true)
    await reported(db, { about: 'reply', id: reply.id }, null)
    assert.equal(
      (await act('assistant', 'posts/deletion', { reason: 'spam', note: 'Adverts' })).statusCode,
      303,
    )
    assert.deepEqual(await shown(), [false, true, false])
    assert.deepEqual(await offered('assistant'), ['suspension', 'posts/deletion', 'posts/restoration'])
    assert.equal(
      (await caseOf(db, { about: 'reply', id: reply.id })).state,
      'upheld',
      'no report waits about what is gone',
    )
    const removal = await caseOf(db, { about: 'person', id: author.id })
    const [measure] = await measuresOf(db, removal.id)
    const daysAgo = (days: number) =>
      sql`update measures set starts_at = starts_at - ${days} * interval '1 day' where id = ${measure?.id}`.execute(
        db,
      )
    const deletedAgo = (days: number) =>
      Promise.all([
        daysAgo(days),
        ...['answers', 'replies'].map((table) =>
          sql`update ${sql.table(table)} set deleted_at = deleted_at - ${days} * interval '1 day'
            where author_id = ${author.id} and deleted_at is not null`.execute(db),
        ),
      ])
    await deletedAgo(31)
    assert.deepEqual(await offered('instructor'), ['suspension', 'posts/deletion'])
    await act('instructor', 'posts/restoration')
    assert.match(await shownTo('instructor'), /deleted more than 30 days ago and can’t be restored/)
    const casePage = `/cases/${removal.id}`
    assert.doesNotMatch((await browsers.instructor.get(casePage)).body, /\/end"/)
    const lifting = await browsers.instructor.post(`/measures/${measure?.id}/end`, { note: 'zyxnote' })
    assert.equal(lifting.statusCode, 422)
    assert.match(textOf(lifting.body), /more than 30 days ago.*zyxnote/s)
    assert.deepEqual(await shown(), [false, true, false])
    await deletedAgo(-2)
    assert.match((await browsers.instructor.get(casePage)).body, /\/end"/)
    assert.deepEqual(await offered('instructor'), ['suspension', 'posts/deletion', 'posts/restoration'])
    assert.equal((await act('instructor', 'posts/restoration')).statusCode, 303)
    assert.deepEqual(await shown(), [true, true, true])
    assert.deepEqual(await offered('instructor'), ['suspension', 'posts/deletion'])
    await doJobs(db, caseLettersKind(db, LETTERS))
    const letters = await db
      .selectFrom('mails')
      .select('text')
      .where('recipient', '=', author.email)
      .orderBy('id')
      .execute()
    assert.equal(letters.length, 3, 'a suspension begun and lifted, and no statement for spam')
    assert.match(letters[1]?.text ?? '', /^.*Undone: Suspended in/s)
    assert.match(letters[2]?.text ?? '', /because of spam: All posts deleted\. .* It’s now undone/)
  })

  test('all posts of an account go once a box is ticked, for a reason that the person is told unless it is spam', async () => {
    const { db, app, course, author, answer, browsers } = await aReportedScene(forum)
    const path = `/people/${author.id}/posts/deletion`
    const place = { course: course.slug }
    assert.equal((await browsers.reporter.get(`${path}?course=${course.slug}`)).statusCode, 403)
    assert.equal((await browsers.assistant.get(`${path}?course=`)).statusCode, 404)
    assert.equal((await visitor(app).get(`${path}?course=${course.slug}`)).statusCode, 303)
    const profile = await browsers.assistant.follow(await browsers.assistant.get(`/people/${author.id}`))
    assert.match(profile.body, new RegExp(`<form action="${path}"`))
    const page = await browsers.assistant.get(`${path}?course=${course.slug}`)
    assert.deepEqual(await markupMistakes(page.body), [])
    assert.match(textOf(page.body), /Delete one post by/)
    const isShown = async () =>
      (
        await db
          .selectFrom('answers')
          .select('is_shown')
          .where('id', '=', answer.id)
          .executeTakeFirstOrThrow()
      ).is_shown
    const send = (fields: Record<string, string>) =>
      browsers.assistant.post(path, { ...place, asks: '1', rule: 'Be kind', note: 'Zyxnote', ...fields })
    for (const [fields, fault] of [
      [{ reason: 'rude' }, /Tick the box/],
      [{ reason: '', sure: '1' }, /Select a reason\./],
    ] as const) {
      const refused = await send(fields)
      assert.equal(refused.statusCode, 422)
      assert.match(refused.body, fault)
      assert.match(refused.body, /Be kind[\s\S]*Zyxnote/)
      assert.deepEqual(await markupMistakes(refused.body), [])
    }
    assert.equal(await isShown(), true)
    const letters = async () => {
      await doJobs(db, caseLettersKind(db, LETTERS))
      return db.selectFrom('mails').select(['subject', 'text']).where('person_id', '=', author.id).execute()
    }
    assert.equal((await send({ reason: 'spam', sure: '1' })).statusCode, 303)
    assert.equal(await isShown(), false)
    assert.deepEqual(await letters(), [])
    assert.match((await browsers.assistant.get(`${path}?course=${course.slug}`)).body, /no posts to delete/)
    await browsers.assistant.post(`/people/${author.id}/posts/restoration`, place)
    assert.equal(await isShown(), true)
    const told = (await letters()).length
    assert.equal((await send({ reason: 'rude', sure: '1' })).statusCode, 303)
    assert.equal(await isShown(), false)
    const statement = (await letters()).slice(told).map(({ text }) => text)
    assert.equal(statement.length, 1)
    assert.match(String(statement), /All posts deleted[\s\S]*Zyxnote[\s\S]*Rule: Be kind/)
    assert.match(
      textOf((await browsers.author.get('/settings/standing')).body),
      /All posts deleted.*Zyxnote/s,
    )
    assert.match((await browsers.author.get('/notifications')).body, /settings\/standing/)
  })

  test('a suspension with a wrong date comes back as it was typed', async () => {
    const { db, course, author, browsers } = await aReportedScene(forum)
    const path = `/people/${author.id}/suspension`
    const sent = { course: course.slug, until: '1999-01-01', reason: 'Zyxreason', back: '/desk' }
    const refused = await browsers.assistant.post(path, sent)
    assert.equal(refused.statusCode, 422)
    assert.deepEqual(await markupMistakes(refused.body), [])
    assert.match(refused.body, /name="back" value="\/desk"[\s\S]*value="1999-01-01"[\s\S]*Zyxreason/)
    assert.match(textOf(refused.body), /between tomorrow and a year from now/)
    assert.equal((await browsers.reporter.post(path, sent)).statusCode, 403)
    assert.deepEqual(
      await db.selectFrom('measures').select('id').where('person_id', '=', author.id).execute(),
      [],
    )
  })
})
