import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { sweepTable } from '../../database/terms.ts'
import { type Fields, signedIn, visitor } from '../../testing/browser.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadePerson,
} from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { hidePost } from '../posts/removal.ts'
import { drafts, endDraft, saveDraft } from './draft.ts'

const JSON_ANSWER = { headers: { accept: 'application/json' } }

/** Where the drafts of a list go on. */
const resumedIn = (html: string) =>
  Array.from(html.matchAll(/<h2><a href="([^"]+)"/g), ([, path = '']) => path.replaceAll('&amp;', '&'))

suite('drafts', () => {
  const forum = sharedForum()

  /** Somebody who writes, and where they would answer a question. */
  async function aWriter(person?: MadePerson) {
    const author = person ?? (await aPerson(forum.db))
    const question = await aQuestion(forum.db)
    const writer = await signedIn(forum.app, author)
    const save = (place: string, fields: Fields) => writer.post('/drafts', { place, ...fields }, JSON_ANSWER)
    const read = async (place: string) =>
      (await writer.get(`/drafts?place=${encodeURIComponent(place)}`, JSON_ANSWER.headers)).json()
    return { author, writer, save, read, place: `/questions/${question.id}/answers`, question }
  }
  const savedAgo = ({ author }: Awaited<ReturnType<typeof aWriter>>, place: string, ago: string) =>
    setRows(forum.db, 'drafts', { person_id: author.id, place }, { saved_at: sql`now() - ${ago}::interval` })

  test('any text comes back as it was typed, in Unicode’s normal form', async () => {
    const { save, read, place } = await aWriter()
    let version = 0
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 400 }), async (text) => {
        const body = text.toWellFormed().replaceAll('\0', '')
        const saved = await save(place, { body: text.toWellFormed(), version })
        assert.equal(saved.statusCode, 200, saved.body)
        version = saved.json().version
        assert.equal((await read(place)).fields.body, body.normalize('NFC'))
      }),
      { numRuns: 40, seed: 17 },
    )
  })

  test('a tab with older text overwrites nothing, and is told the newer text', async () => {
    const { writer, save, place } = await aWriter()
    const first = (await save(place, { body: 'first', version: 0 })).json()
    assert.equal((await save(place, { body: 'second', version: first.version })).statusCode, 200)
    for (const version of [0, first.version]) {
      const late = await save(place, { body: 'from another tab', version })
      assert.equal(late.statusCode, 409)
      assert.equal(late.json().fields.body, 'second')
    }
    const again = await save(place, { body: 'second', version: first.version })
    assert.equal(again.statusCode, 200, 'a save that comes twice is no conflict')
    const page = await writer.post('/drafts', { place, body: 'mine', version: first.version })
    assert.equal(page.statusCode, 409)
    assert.match(textOf(page.body), /There is a newer version of this draft.*second.*mine/s)
    assert.deepEqual(await markupMistakes(page.body), [])
  })

  test('the page of the form that asks names the same draft as the path it is posted to', async () => {
    const { save, read } = await aWriter()
    const { slug } = await aCourse(forum.db, { title: '백엔드 개발' })
    const page = `/questions/new?course=${encodeURIComponent(slug)}`
    for (const [named, form] of [
      [page, `/questions?course=${slug}`],
      ['/questions/new', '/questions'],
    ] as const) {
      await save(named, { title: named, version: 0 })
      for (const place of [named, form]) assert.equal((await read(place)).fields.title, named)
    }
  })

  test('end with the post of their text, however late they are saved again; others are kept', async () => {
    const writing = await aWriter()
    const { author, writer, save, read, place: answers } = writing
    const course = await aCourse(forum.db)
    const question = await aQuestion(forum.db, { course, author })
    const answer = await anAnswer(forum.db, { question, author })
    const reader = await aMember(forum.db, course)
    for (const [place, fields] of [
      [answers, { body: 'An answer\r\nin lines' }],
      [`/questions/${question.id}/replies`, { body: 'A detail' }],
      [`/answers/${answer.id}/replies`, { body: 'A reply' }],
      [`/questions/${question.id}/edit`, { title: 'What is REST?', body: 'A new text', version: 1 }],
      // A name that is typed is posted as a mention.
      [`/answers/${answer.id}/edit`, { body: `Now for @${reader.displayName}`, version: 1 }],
      [`/questions?course=${course.slug}`, { course: course.slug, title: 'Is a draft gone?', body: 'Text' }],
    ] as const) {
      await save(place, { ...fields, version: 0 })
      if ('version' in fields) {
        assert.equal((await writer.post(place, { ...fields, version: 99 })).statusCode, 409, place)
        assert.notEqual((await read(place)).id, null, place)
      }
      const posted = await writer.post(place.split('?')[0] ?? '', fields)
      assert.equal(posted.statusCode, 303, place)
      assert.equal((await read(place)).id, null, place)
      const late = { ...fields, body: fields.body.replaceAll('\r\n', '\n'), version: 0 }
      const saved = await save(place, late)
      assert.deepEqual([saved.statusCode, saved.json()], [200, { id: null }], place)
      assert.equal((await read(place)).id, null, place)
    }
    const late = { place: answers, body: 'An answer\nin lines' }
    const page = await writer.follow(await writer.post('/drafts', late))
    assert.match(textOf(page.body), /posted this text a moment ago.*No drafts/s)
    const other = { body: 'Another answer', version: 0 }
    assert.equal((await save(answers, other)).statusCode, 200)
    assert.equal((await read(answers)).fields.body, 'Another answer')
    await writer.post(answers, other)
    await savedAgo(writing, answers, '11 minutes')
    await savedAgo(writing, `/questions/${question.id}/replies`, '11 minutes')
    await save(answers, other)
    assert.equal((await read(answers)).fields.body, 'Another answer', 'ten minutes later it is a draft')
    await sweepTable(forum.db, drafts)
    const places = valuesOf(await rowsOf(forum.db, 'drafts', { person_id: author.id }), 'place')
    assert.deepEqual([places.includes(answers), places.length], [true, 5], 'the reply has had its time')
  })

  test('a save that comes while the text is being posted waits for the post, and is not kept', async () => {
    const author = await aPerson(forum.db)
    const place = `/questions/${(await aQuestion(forum.db)).id}/answers`
    const draft = { personId: author.id, place, fields: { body: 'The answer' }, version: 0 }
    let late: ReturnType<typeof saveDraft> | undefined
    await forum.db.transaction().execute(async (write) => {
      await endDraft(write, author.id, place, draft.fields)
      late = saveDraft(forum.db, draft)
    })
    assert.deepEqual(await late, { isSaved: true, draft: null })
  })

  test('of announcements and corrections are apart, and go on and end with theirs, whatever script their course has', async () => {
    const course = await aCourse(forum.db, { title: 'REST 백엔드' })
    const { writer, save, read } = await aWriter(await aMember(forum.db, course, 'instructor'))
    const path = `/courses/${encodeURIComponent(course.slug)}/announcements/new`
    const text = { title: 'The exam moves', body: 'To Friday.' }
    const first = await writer.post(path, text)
    const id = /\d+/.exec(String(first.headers.location))?.[0] ?? ''
    const correction = `${path}?corrects=${id}`
    await save(path, { ...text, title: 'Half a notice' })
    await save(correction, { ...text, title: 'Half a correction' })
    await save(`/announcements/${id}/edit`, { ...text, title: 'Half an edit', base_version: 1 })
    const list = await writer.get('/drafts')
    assert.match(textOf(list.body), /Half an edit.*Half a correction.*REST.*Half a notice/s)
    const [, resumed = ''] = resumedIn(list.body)
    const form = await writer.get(resumed)
    assert.match(form.body, /value="Half a correction"/)
    assert.match(form.body, new RegExp(`name="corrects" value="${id}"`))
    assert.equal((await writer.post(path, { ...text, corrects: id })).statusCode, 303)
    assert.equal((await read(correction)).id, null)
    assert.notEqual((await read(path)).id, null)
    assert.equal((await writer.post(path, { ...text, title: 'Another' })).statusCode, 303)
    assert.equal((await read(path)).id, null)
    await writer.post(`/announcements/${id}/edit`, { ...text, body: 'To Monday.', version: 1 })
    assert.equal((await read(`/announcements/${id}/edit`)).id, null)
  })

  test('are listed with what they belong to, and go on where they were written', async () => {
    const { author, writer, save } = await aWriter()
    const course = await aCourse(forum.db, { title: 'REST' })
    const question = await aQuestion(forum.db, { course, title: 'Which verb?' })
    const answer = await anAnswer(forum.db, { question })
    const reply = await aReply(forum.db, { answer, author })
    await save(`/questions/${question.id}/answers`, { body: 'half an answer' })
    await save(`/answers/${answer.id}/replies`, { body: 'half a reply' })
    await save(`/replies/${reply.id}/edit`, { body: 'half an edit', base_version: 1 })
    await save(`/questions?course=${course.slug}`, { title: 'Half a title', body: 'half a question' })
    const page = await writer.get('/drafts')
    assert.match(textOf(page.body), /Half a title.*Which verb\?.*half an edit.*half a reply.*half an answer/s)
    assert.deepEqual(await markupMistakes(page.body), [])
    const paths = resumedIn(page.body)
    assert.equal(paths.length, 4)
    for (const path of paths) {
      let form = await writer.get(path.split('#')[0] ?? '')
      for (let hop = 0; hop < 2 && form.statusCode !== 200; hop += 1) form = await writer.follow(form)
      assert.match(form.body, />\n?half an? (answer|reply|edit|question)<\/textarea>/, path)
      assert.match(form.body, /formaction="\/drafts\/\d+\/delete\?back=form"/, path)
    }
  })

  test('of a question that is closed to the author now, or hidden, do not tell its title, and are posted nowhere', async () => {
    const { writer, save } = await aWriter()
    const question = await aQuestion(forum.db, { title: 'Nobody else may know' })
    await save(`/questions/${question.id}/answers`, { body: 'mine' })
    await setRows(forum.db, 'courses', question.courseId, { is_public: false })
    const page = textOf((await writer.get('/drafts')).body)
    assert.doesNotMatch(page, /Nobody else may know/)
    assert.match(page, /can’t see.*mine/s)
    const hidden = await aQuestion(forum.db, { title: 'Staff hid this title' })
    const quoting = { body: '> What was hidden\n\nMy words.' }
    await save(`/questions/${hidden.id}/answers`, quoting)
    assert.match((await writer.get('/drafts')).body, /Staff hid this title/)
    await within(forum.db, hidePost, { table: 'questions', id: hidden.id })
    assert.doesNotMatch((await writer.get('/drafts')).body, /Staff hid this title/)
    const refused = await writer.post(`/questions/${hidden.id}/answers`, quoting)
    assert.equal(refused.statusCode, 404)
    assert.match(refused.body, /My words\./)
  })

  test('are their author’s alone', async () => {
    const [mine, theirs] = [await aWriter(), await aWriter()]
    const { place, question } = mine
    const { id } = (await mine.save(place, { body: 'secret words' })).json()
    assert.equal((await theirs.read(place)).id, null)
    await theirs.writer.post(`/drafts/${id}/delete`)
    assert.equal((await mine.read(place)).fields.body, 'secret words')
    const opened = await theirs.writer.get(`${questionPath(question)}?form=answer&draft=${id}`)
    assert.equal(opened.statusCode, 200)
    assert.doesNotMatch(opened.body, /secret words/)
    const asked = await visitor(forum.app).get('/drafts')
    assert.equal(asked.headers.location, '/sign-in?next=%2Fdrafts')
  })

  test('keep every named field, whichever form it is of, but secrets and what leads elsewhere', async () => {
    const { writer, save, read, place } = await aWriter()
    const kept = { body: 'x', anonymous: '1', base_version: '1', video_moment: '04:37' }
    assert.equal((await save(place, kept)).statusCode, 200)
    assert.deepEqual((await read(place)).fields, kept)
    const leading = { back: '/desk', next: '/', password: 'secret', token: 'secret' }
    assert.equal((await writer.post('/drafts', { place, version: 1, body: 'x', ...leading })).statusCode, 303)
    assert.deepEqual((await read(place)).fields, { body: 'x' })
  })

  test('a program is refused names of no field, secrets, and fields that come twice', async () => {
    const { save, read, place } = await aWriter()
    for (const fields of [{ 'is-anonymous': '1' }, { password: 'secret' }, { body: ['once', 'twice'] }]) {
      const refused = await save(place, fields)
      assert.equal(refused.statusCode, 422)
      assert.match(refused.json().error, /isn’t known here/)
    }
    assert.equal((await read(place)).id, null)
  })

  test('have no more fields, and are no longer, than a form takes', async () => {
    const { save, place } = await aWriter()
    const many = Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`x${'y'.repeat(at)}`, '']))
    for (const fields of [many, { body: '\u0001'.repeat(59_000) }])
      assert.equal((await save(place, fields)).statusCode, 413)
    assert.equal((await save(place, { body: '"🦊'.repeat(15_000) })).statusCode, 200)
  })

  test('say which of their choices are gone, and are posted as nothing else', async () => {
    const course = await aCourse(forum.db)
    await setRows(forum.db, 'courses', course.id, { allows_private: false })
    const { writer, save } = await aWriter(await aMember(forum.db, course))
    const chosen = { lecture: '9', category: 'gone', audience: 'staff', anonymous: '1' }
    const fields = { course: course.slug, title: 'What was it?', body: 'A text', ...chosen }
    const { id } = (await save(`/questions?course=${course.slug}`, fields)).json()
    const resumed = await writer.get(`/questions/new?course=${course.slug}&draft=${id}`)
    const refused = await writer.post('/questions', fields)
    assert.equal(refused.statusCode, 422)
    for (const { body } of [resumed, refused]) {
      const text = textOf(body)
      assert.match(text, /9 \(no longer available\).*isn’t in the course.*gone \(no longer available\)/s)
      assert.match(text, /Private questions are off.*Anonymous posts are off/s)
      assert.deepEqual([valueIn(body, 'lecture'), valueIn(body, 'category')], ['9', 'gone'])
      assert.match(body, /name="audience" value="staff" checked/)
      assert.match(body, /name="anonymous" value="1" checked/)
      assert.deepEqual(await markupMistakes(body), [])
    }
    const question = await aQuestion(forum.db, { course })
    const answers = `/questions/${question.id}/answers`
    const answer = (await save(answers, { body: 'Mine', anonymous: '1' })).json()
    const opened = await writer.get(`${questionPath(question)}?form=answer&draft=${answer.id}`)
    assert.match(opened.body, /name="anonymous" value="1" checked/)
    assert.match(textOf(opened.body), /You can’t post anonymously here/)
    const named = await writer.post(answers, { body: 'Mine', anonymous: '1' })
    assert.equal(named.statusCode, 422)
    assert.match(named.body, /name="anonymous" value="1" checked/)
  })

  test('belong to forms of ours: another place is refused, whatever it is', async () => {
    const { save } = await aWriter()
    const long = `/questions?course=${'x'.repeat(200)}`
    for (const place of ['', '/', '/sign-out', 'https://evil.test/', '/questions/1/delete', long])
      assert.equal((await save(place, { body: 'text' })).statusCode, 422, place)
  })

  test('are saved and discarded without a script', async () => {
    const { writer, place } = await aWriter()
    const page = await writer.follow(await writer.post('/drafts', { place, body: 'later' }))
    assert.match(textOf(page.body), /later/)
    const path = /action="(\/drafts\/\d+\/delete)"/.exec(page.body)?.[1] ?? ''
    assert.match(textOf((await writer.follow(await writer.post(path))).body), /deleted.*No drafts/s)
  })

  test('say when they were saved in the reader’s time zone, else in that of their course', async () => {
    const [course, elsewhere] = [await aCourse(forum.db, { timeZone: 'Asia/Seoul' }), 'America/New_York']
    const question = await aQuestion(forum.db, { course })
    const { author, writer, save } = await aWriter()
    for (const place of [`/questions?course=${course.slug}`, `/questions/${question.id}/answers`])
      await save(place, { body: 'later' })
    const zones = async () => (await writer.get('/drafts')).body.match(/(?<=\d, \d\d:\d\d )\w+\/\w+/g)
    assert.deepEqual(await zones(), ['Asia/Seoul', 'Asia/Seoul'])
    await setRows(forum.db, 'people', author.id, { time_zone: elsewhere })
    assert.deepEqual(await zones(), [elsewhere, elsewhere])
  })

  test('expire after 90 days', async () => {
    const writing = await aWriter()
    const [old, recent] = ['/questions/1/answers', '/questions/2/answers']
    for (const place of [old, recent]) await writing.save(place, { body: place })
    await savedAgo(writing, old, '91 days')
    await savedAgo(writing, recent, '89 days')
    await sweepTable(forum.db, drafts)
    assert.equal((await writing.read(old)).id, null)
    assert.equal((await writing.read(recent)).fields.body, recent)
  })
})
