import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import type { TokenScope } from '../../database/schema.ts'
import { postAnnouncement } from '../../forum/announcements/announcement.ts'
import { caseOf, decided, reported } from '../../forum/cases/testing.ts'
import { act } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { aProgram } from './testing.ts'

suite('programs read', () => {
  const forum = sharedForum()

  test('what is public without a token: each collection leads to the next', async () => {
    const course = await aCourse(forum.db, { lectures: ['One', 'Two'] })
    const author = await aPerson(forum.db, { displayName: 'Mara' })
    const question = await aQuestion(forum.db, {
      ...{ course, author, title: 'What is REST?', body: 'Tell **me**.' },
      ...{ lectureId: course.lectureIds[1] ?? 0, tags: ['http', 'rest'] },
    })
    const answer = await anAnswer(forum.db, { question, body: 'A style.' })
    const reply = await aReply(forum.db, { answer, author, body: 'Thank you.' })
    const program = aProgram(forum.app)

    const start = (await program.get('')).json()
    assert.equal(start.openapi, 'http://localhost:3000/api/v1/openapi.json')
    const read = await program.get(`/questions/${question.id}`)
    const { url, written_at, ...body } = read.json()
    assert.match(url, new RegExp(`^http://localhost:3000/questions/${question.id}/what-is-rest$`))
    assert.match(written_at, /Z$/)
    assert.deepEqual(body, {
      id: question.id,
      title: 'What is REST?',
      body: 'Tell **me**.',
      body_html: '<p>Tell <strong>me</strong>.</p>\n',
      status: 'unresolved',
      course: course.slug,
      lecture: 2,
      category: 'questions-and-answers',
      field: body.field,
      tags: ['http', 'rest'],
      author: { id: author.id, name: 'Mara', role: 'learner', stand_in: null, questions_count: 1 },
      is_anonymous: false,
      audience: 'course',
      ...{ answers_count: 1, votes_count: 0, views_count: 0 },
      ...{
        accepted_answer: null,
        duplicate_of: null,
        closed: null,
        me: null,
        state: null,
        edited_at: null,
        version: 1,
      },
    })
    assert.match(String(read.headers.etag), /^"1-[\w-]+"$/)
    assert.ok(Date.parse(String(read.headers['last-modified'])) > 0)
    const answers = (await program.get(`/questions/${question.id}/answers`)).json()
    const [first, ...others] = answers.items
    assert.deepEqual([first.id, first.replies_count, first.is_accepted], [answer.id, 1, false])
    const replies = (await program.get(`/answers/${answer.id}/replies`)).json()
    const [below, ...more] = replies.items
    assert.deepEqual([below.id, below.is_asker, others, more], [reply.id, true, [], []])
    for (const path of [
      ...['/courses', `/courses/${course.slug}`, `/answers/${answer.id}`, `/replies/${reply.id}`],
      ...['lectures', 'categories', 'tags', 'announcements', 'faq'].map(
        (part) => `/courses/${course.slug}/${part}`,
      ),
      ...[`/questions/${question.id}/replies`, `/people/${author.id}`, '/search?q=rest'],
      `/questions/similar?title=What%20is%20REST&course=${course.slug}`,
    ])
      assert.equal((await program.get(path)).statusCode, 200, path)
  })

  test('lists in pages: all of them, each once, in the order asked for', async () => {
    const course = await aCourse(forum.db)
    const ids: number[] = []
    for (let count = 0; count < 7; count += 1)
      ids.push((await aQuestion(forum.db, { course, votes: count % 3 })).id)
    const program = aProgram(forum.app)
    for (const sort of ['newest', 'active', 'votes', 'views']) {
      const seen: number[] = []
      let path: string | null = `/courses/${course.slug}/questions?limit=3&sort=${sort}`
      while (path !== null) {
        const answer = await program.get(path)
        seen.push(...answer.json().items.map(({ id }: { id: number }) => id))
        const link: string | undefined = /^<(.+)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1]
        path = link?.replace('http://localhost:3000/api/v1', '') ?? null
      }
      assert.deepEqual(seen.toSorted(), ids.toSorted(), sort)
      if (sort === 'newest') assert.deepEqual(seen, ids.toReversed())
    }
  })

  test('what is told of a failure: always a problem, in the language asked for, with a code that stays', async () => {
    const question = await aQuestion(forum.db)
    await setRows(forum.db, 'questions', question.id, { deleted_at: new Date() })
    const program = aProgram(forum.app)
    for (const [path, status, code] of [
      ['/nothing', 404, 'not_found'],
      ['/questions/x', 404, 'not_found'],
      [`/questions/${question.id}`, 410, 'gone'],
      ['/me', 401, 'unauthorized'],
      ['/courses?limit=101', 400, 'invalid_parameter'],
    ] as const) {
      const answer = await program.get(path)
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
      assert.deepEqual([answer.statusCode, answer.json().code], [status, code], path)
    }
    const posted = await program.send('POST', '/courses')
    assert.deepEqual([posted.statusCode, posted.headers.allow], [405, 'GET, HEAD, OPTIONS'])
    const wrong = await program.get('/courses', { authorization: 'Bearer handup_wrong' })
    assert.equal(wrong.statusCode, 401)
    assert.equal(wrong.headers['www-authenticate'], 'Bearer error="invalid_token"')
    const korean = await program.get('/nothing', { 'accept-language': 'ko' })
    assert.match(korean.json().detail, /주소와 토큰/)
    for (const path of ['/%zz', '/courses/%ff', '/search?q=%ff', '/courses/x/questions?tag=%e2%82']) {
      const broken = await forum.app.inject(`/api/v1${path}`)
      assert.deepEqual([broken.statusCode, broken.json().code], [400, 'bad_request'], path)
    }
  })

  test('pages of any origin, without their cookies', async () => {
    const course = await aCourse(forum.db, { isPublic: false })
    const question = await aQuestion(forum.db, { course })
    const token = await aToken(forum, await aMember(forum.db, course))
    const answer = await aProgram(forum.app, token).get(`/questions/${question.id}`)
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['cache-control'], 'private, no-store')
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(answer.headers['access-control-allow-credentials'], undefined)
    assert.match(String(answer.headers.vary), /authorization/)
    assert.match(String(answer.headers['ratelimit-policy']), /^"api";q=\d+;w=60$/)
    const preflight = await forum.app.inject({ method: 'OPTIONS', url: `/api/v1/questions/${question.id}` })
    assert.equal(preflight.statusCode, 204)
    assert.match(String(preflight.headers['access-control-allow-headers']), /Authorization/)
  })

  test('nothing by a cookie, however the address is spelled', async () => {
    const course = await aCourse(forum.db, { isPublic: false })
    const question = await aQuestion(forum.db, { course })
    const browser = await signedIn(forum.app, await aMember(forum.db, course))
    for (const api of ['/%61pi', '/a%70i', '/%61%70%69', '/api']) {
      const path = `${api}/v1/questions/${question.id}`
      assert.equal((await browser.get(path, { accept: '*/*' })).statusCode, 404, path)
      assert.equal((await browser.get(`${api}/v1/me`, { accept: '*/*' })).statusCode, 401, api)
      const raw = JSON.stringify({ body: 'In your name' })
      const options = { raw, contentType: 'application/json', origin: 'https://evil.example' }
      assert.equal((await browser.post(`${path}/answers`, {}, options)).statusCode, 401, path)
    }
    assert.deepEqual(await rowsOf(forum.db, 'answers', { question_id: question.id }), [])
  })

  test('of the bell a token for one course reads what is of that course', async () => {
    const [course, other] = [await aCourse(forum.db), await aCourse(forum.db)]
    const learner = await aMember(forum.db, course)
    await aMember(forum.db, other, 'learner', learner)
    const told: Record<number, string[]> = {}
    for (const here of [course, other]) {
      const { slug } = here
      const title = `Asked in ${slug}`
      const question = await aQuestion(forum.db, { course: here, author: learner, title })
      const staff = await aMember(forum.db, here, 'instructor')
      await anAnswer(forum.db, { question, author: staff })
      const news = { title: `News of ${slug}`, body: 'Read this.' }
      await act(forum, postAnnouncement, { actor: staff, key: slug, input: news })
      told[here.id] = [news.title, title]
    }
    const read = async (courseId: number | null) => {
      const program = aProgram(forum.app, await aToken(forum, learner, ['read'], courseId))
      const { items } = (await program.get('/me/notifications')).json()
      return items.map(({ title }: { title: string }) => title)
    }
    assert.deepEqual(await read(course.id), told[course.id])
    assert.deepEqual(await read(other.id), told[other.id])
    assert.deepEqual(await read(null), [...(told[other.id] ?? []), ...(told[course.id] ?? [])])
  })

  test('by scope: what a learner may, what staff may, in one course or all; with a course’s token as an assistant', async () => {
    const course = await aCourse(forum.db)
    const other = await aCourse(forum.db, { isPublic: false })
    const staff = await aMember(forum.db, course, 'instructor')
    await aMember(forum.db, other, 'instructor', staff)
    const hidden = await aPerson(forum.db, { displayName: 'Quork' })
    const kept = await aQuestion(forum.db, { course, author: hidden, audience: 'staff' })
    const own = await aQuestion(forum.db, { course, author: staff, audience: 'staff' })
    const anonymous = await aQuestion(forum.db, { course, author: hidden, isAnonymous: true })
    const elsewhere = await aQuestion(forum.db, { course: other, author: staff, audience: 'staff' })
    const reads = async (token: string | null) => {
      const program = aProgram(forum.app, token)
      const status = async (path: string) => (await program.get(path)).statusCode
      return [
        await status(`/questions/${kept.id}`),
        await status(`/questions/${own.id}`),
        await status(`/questions/${elsewhere.id}`),
        (await program.get(`/questions/${anonymous.id}`)).json().author.name,
        await status(`/courses/${course.slug}/desk`),
        await status(`/courses/${other.slug}/members`),
      ]
    }
    assert.deepEqual(await reads(null), [404, 404, 404, 'Anonymous 1', 401, 401])
    assert.deepEqual(await reads(await aToken(forum, staff)), [404, 200, 200, 'Anonymous 1', 403, 403])
    const whole = await aToken(forum, staff, ['read', 'staff'])
    assert.deepEqual(await reads(whole), [200, 200, 200, 'Quork', 200, 200])
    const here = await aToken(forum, staff, ['read'], course.id)
    assert.deepEqual(await reads(here), [404, 200, 404, 'Anonymous 1', 403, 403])
    const staffed = await aToken(forum, staff, ['read', 'staff'], course.id)
    assert.deepEqual(await reads(staffed), [200, 200, 404, 'Quork', 200, 404])
    assert.deepEqual(await reads(await aCourseToken(forum, course)), [200, 200, 404, 'Quork', 200, 404])
    const program = aProgram(forum.app, await aCourseToken(forum, course))
    assert.equal((await program.get('/me')).json().code, 'person_needed')
  })

  test('for notebooks: members, analytics, and an export line by line, under numbers if that is asked for', async () => {
    const course = await aCourse(forum.db)
    const staff = await aMember(forum.db, course, 'assistant')
    const author = await aPerson(forum.db, { displayName: 'Quorkmina' })
    const question = await aQuestion(forum.db, { course, author })
    const answer = await anAnswer(forum.db, {
      question,
      author: staff,
      body: `@[Quorkmina](person:${author.id}) yes`,
    })
    await aReply(forum.db, { answer, author })
    await aReply(forum.db, { question, author: staff })
    const program = aProgram(forum.app, await aToken(forum, staff, ['read', 'staff']))
    const [line] = (await program.get(`/courses/${course.slug}/export`)).body.split('\n')
    const whole = JSON.parse(line ?? '')
    assert.deepEqual([whole.answers.length, whole.answers[0].replies.length, whole.replies.length], [1, 1, 1])
    const hidden = await program.get(`/courses/${course.slug}/export?pseudonymous=1`)
    assert.doesNotMatch(hidden.body, /Quorkmina/)
    assert.match(hidden.body, /Person 1/)
    const members = (await program.get(`/courses/${course.slug}/members`)).json()
    assert.deepEqual(
      members.items.map(({ email }: { email: string }) => email).toSorted(),
      [staff.email, author.email].toSorted(),
    )
    const analytics = await program.get(`/courses/${course.slug}/analytics?from=2026-09-01&to=2026-11-23`)
    assert.equal(analytics.json().tables[0].name, 'weeks')
    assert.equal((await program.get(`/courses/${course.slug}/analytics?from=yesterday`)).statusCode, 400)
    const waiting = (await program.get(`/courses/${course.slug}/desk?view=all`)).json()
    assert.equal(waiting.items[0].question, question.id)
  })

  test('their own account, what they were told, and what their posts said before', async () => {
    const course = await aCourse(forum.db)
    const asker = await aMember(forum.db, course)
    const question = await aQuestion(forum.db, { course, author: asker })
    await anAnswer(forum.db, { question })
    const program = aProgram(forum.app, await aToken(forum, asker))
    const me = (await program.get('/me')).json()
    assert.deepEqual(
      [me.id, me.token.scopes, me.roles],
      [asker.id, ['read'], [{ course: course.slug, role: 'learner' }]],
    )
    const told = (await program.get('/me/notifications')).json()
    assert.deepEqual(
      told.items.map(({ question: id }: { question: number }) => id),
      [question.id],
    )
    const versions = (await program.get(`/questions/${question.id}/history`)).json()
    assert.equal(versions.items.length, 1)
    const mine = (await program.get(`/courses/${course.slug}/questions?mine=1`)).json()
    assert.equal(mine.items.length, 1)
    const stranger = aProgram(forum.app, await aToken(forum, await aPerson(forum.db)))
    assert.equal((await stranger.get(`/questions/${question.id}/history`)).statusCode, 403)
  })

  test('tokens of a course count for their course alone', async () => {
    const courses = [await aCourse(forum.db), await aCourse(forum.db)]
    const statuses: number[][] = []
    for (const course of courses) {
      const program = aProgram(forum.app, await aCourseToken(forum, course))
      const exports = Array.from({ length: 21 }, () => program.get(`/courses/${course.slug}/export`))
      statuses.push((await Promise.all(exports)).map(({ statusCode }) => statusCode).sort())
    }
    for (const each of statuses) assert.deepEqual(each, [...Array.from({ length: 20 }, () => 200), 429])
  })

  test('of cases a token is told with its own rights, and in its own course alone', async () => {
    const { db } = forum
    const [course, other] = [await aCourse(db), await aCourse(db, { isPublic: false })]
    const [staff, reporter] = [await aMember(db, other, 'instructor'), await aMember(db, other)]
    for (const person of [staff, reporter]) await aMember(db, course, 'instructor', person)
    const question = await aQuestion(db, { course: other, author: await aMember(db, other) })
    const subject = { about: 'question', id: question.id } as const
    await reported(db, subject, reporter.id)
    const told = async (person: { id: number }, scopes: TokenScope[], courseId: number | null) => {
      const program = aProgram(forum.app, await aToken(forum, person, scopes, courseId))
      const { items } = (await program.get('/me/notifications')).json()
      const reasons = items.map(({ reason }: { reason: string }) => reason)
      return reasons.filter((reason: string) => reason !== 'question')
    }
    assert.deepEqual(await told(staff, ['read', 'staff'], null), ['case'])
    assert.deepEqual(await told(staff, ['read', 'staff'], other.id), ['case'])
    assert.deepEqual(await told(staff, ['read', 'staff'], course.id), [])
    assert.deepEqual(await told(staff, ['read'], null), [])
    await decided(db, staff.id, await caseOf(db, subject), [])
    assert.deepEqual(await told(reporter, ['read'], null), ['report'])
    assert.deepEqual(await told(reporter, ['read'], other.id), ['report'])
    assert.deepEqual(await told(reporter, ['read', 'staff'], course.id), [])
  })
})
