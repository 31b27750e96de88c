import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { fileStore } from '../../forum/pictures/store.ts'
import { testDatabase } from '../../testing/database.ts'
import { readForum } from '../../testing/forum.ts'
import { columnsOf, valuesOf } from '../../testing/rows.ts'
import { exportCourse } from './course-export.ts'
import { aFolder, aWholeCourse, BASE_URL, CANARY, exportedFrom } from './course-testing.ts'
import { COURSE, type Line } from './format.ts'
import { exchangePage } from './page.ts'

test('docs/exchange.md has the schemas that exports are read by', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/exchange.md'), 'utf8')
  assert.equal(page, exchangePage(), 'npm run --silent handup -- exchange > docs/exchange.md')
})

suite('the export of a course', () => {
  const ends: (() => Promise<void>)[] = []
  const forum = readForum(async ({ db }) => {
    const pictures = await aFolder({ after: (work) => ends.push(work) })
    return { pictures, ...(await aWholeCourse(db, pictures)) }
  })
  after(async () => {
    for (const end of ends) await end()
  })
  const exported = async (t: Parameters<typeof aFolder>[0], isPseudonymous = false) =>
    exportedFrom(forum.db, {
      pictures: forum.world.pictures,
      path: join(await aFolder(t), 'out'),
      isPseudonymous,
    })

  test('says of each post who may see it and who may know its author', async (t) => {
    const { lines } = await exported(t)
    const { mina, jun, shy, course } = forum.world
    const seen = (line: Line<'questions'>) => [line.title, line.visibility, line.state, line.author]
    assert.deepEqual(lines.questions.map(seen), [
      ['Which code says created?', 'course', 'shown', { person: String(mina.id) }],
      [
        'Anonymous to classmates',
        'course',
        'shown',
        { person: String(shy.id), anonymous: 'classmates', number: 9 },
      ],
      ['Anonymous, and gone', 'course', 'shown', { anonymous: 'everyone', number: 1 }],
      ['Only for staff', 'private', 'shown', { person: String(mina.id) }],
      ['Waits for review', 'course', 'held(source)', { person: String(mina.id) }],
      ['The same once more', 'course', 'shown', { person: String(jun.id) }],
      ['Off topic here', 'course', 'shown', { person: String(jun.id) }],
    ])
    assert.deepEqual(valuesOf(lines.answers, 'author'), [
      { person: String(jun.id) },
      { person: String(jun.id), anonymous: 'classmates', number: 1 },
      { former: 'Former member' },
    ])
    assert.deepEqual(columnsOf(lines.replies, 'state', 'author'), [
      ['hidden', { person: String(shy.id), anonymous: 'classmates', number: 1 }],
      ['shown', { person: String(mina.id), anonymous: 'classmates', number: 3 }],
    ])
    assert.equal(lines.categories.length, 2)
    assert.deepEqual(
      columnsOf(lines.lectures, 'id', 'title'),
      course.lectureIds.map((id, index) => [String(id), ['Verbs', 'Codes'][index]]),
    )
  })

  test('has states, times, counts, versions, tags, announcements, the FAQ and rules', async (t) => {
    const folder = join(await aFolder(t), 'out')
    const { lines, counts } = await exportedFrom(forum.db, { pictures: forum.world.pictures, path: folder })
    const { question, answer, staff, mina, closed, duplicate } = forum.world
    const [first] = lines.questions
    assert.ok(first)
    assert.deepEqual(
      [first.status, first.accepted_answer, first.tags, first.votes, first.views, first.version],
      ['resolved', String(answer.id), ['http', 'status'], 2, 3, 3],
    )
    assert.deepEqual(
      [first.written_at, first.editor],
      ['2026-02-01T01:00:00.123Z', { person: String(staff.id) }],
    )
    assert.equal(first.pin?.by, String(staff.id))
    assert.equal(lines.answers[0]?.endorsement?.by, String(staff.id))
    const byId = new Map(lines.questions.map((line) => [line.id, line]))
    assert.deepEqual(byId.get(String(duplicate.id))?.duplicate, {
      of: String(question.id),
      by: String(staff.id),
    })
    assert.equal(byId.get(String(closed.id))?.closed?.reason, 'off-topic')
    assert.deepEqual(
      lines.versions.map(({ version, body, author, redacted }) => [version, body, author, redacted?.by]),
      [
        [1, null, { person: String(mina.id) }, String(staff.id)],
        [
          2,
          `The second text ![was](exchange:file/${forum.world.picture})`,
          { person: String(mina.id) },
          undefined,
        ],
      ],
    )
    assert.deepEqual(lines.tags, [
      { name: 'http', description: 'The protocol', aliases: ['web'] },
      { name: 'status', description: '', aliases: [] },
    ])
    assert.deepEqual(
      [lines.announcements[0]?.title, lines.faq[0]?.question],
      ['The room', String(question.id)],
    )
    const course = COURSE.parse(JSON.parse(await readFile(join(folder, 'course.json'), 'utf8')))
    assert.deepEqual(course.rules, { language: 'en', body: '## Be kind' })
    assert.deepEqual(course.source, { name: 'handup', origin: `${BASE_URL}/courses/rest` })
    assert.deepEqual([counts.questions, counts.answers, counts.replies, counts.pictures], [7, 3, 2, 1])
  })

  test('leads from texts to what it has, and leaves code as it is', async (t) => {
    const { lines } = await exported(t)
    const { question, closed, other, duplicate, answer, jun, picture } = forum.world
    assert.deepEqual(lines.questions[0]?.body.split('\n'), [
      `See [#${closed.id}](exchange:question/${closed.id}) and \\#${other.id}, [#${duplicate.id}](exchange:answer/${answer.id}),`,
      `[there](exchange:answer/${answer.id}), [out](${BASE_URL}/questions/${other.id}/x),`,
      `@[Jun](exchange:person/${jun.id}) and @${CANARY}. \`#${closed.id}\` is code.`,
      '',
      `![mina-screenshot.png](exchange:file/${picture})`,
      '',
      '```',
      `#${closed.id} @[Jun](person:${jun.id})`,
      '```',
    ])
    assert.deepEqual(lines.files, [
      { id: picture, kept: 'blob', path: `files/${picture}.png`, url: null, alt: 'mina.png' },
    ])
    assert.ok(question.id > 0)
  })

  test('has no deleted posts, cases, reports, drafts, follows, desk, saved answers, tokens, webhooks or members who wrote nothing', async (t) => {
    const { text, lines } = await exported(t)
    // What an author typed is theirs: a mention of no one.
    assert.doesNotMatch(text.replaceAll(`@${CANARY}.`, ''), new RegExp(CANARY))
    assert.deepEqual(columnsOf(lines.people, 'name', 'email'), [
      ['Mina', 'mina@example.org'],
      ['Jun', 'jun@example.org'],
      ['Shy', 'shy@example.org'],
      ['Kim', 'kim@example.org'],
    ])
  })

  test('pseudonymous, has no name, address or name of a file, and no id that another has', async (t) => {
    const [one, other] = [await exported(t, true), await exported(t, true)]
    for (const word of ['Mina', 'Jun', 'Kim', 'example.org', 'screenshot', 'mina.png', CANARY])
      assert.ok(
        !one.text
          .replaceAll('says Shy', '')
          .replace(/`{3}[^`]*`{3}/g, '')
          // Random ids, which may spell a name.
          .replace(/\b[\w-]{22}\b/g, '')
          .includes(word),
        word,
      )
    const idsOf = ({ lines }: typeof one) =>
      [
        ...lines.people,
        ...lines.questions,
        ...lines.answers,
        ...lines.replies,
        ...lines.files,
        ...lines.lectures,
      ]
        .map(({ id }) => id)
        .concat(
          lines.categories.map(({ id }) => id),
          lines.announcements.map(({ id }) => id),
          lines.faq.map(({ id }) => id),
        )
    const ids = new Set(idsOf(one))
    assert.equal(ids.size, idsOf(one).length)
    assert.deepEqual(
      idsOf(other).filter((id) => ids.has(id)),
      [],
    )
    const isOfRow = idsOf(one).some((id) => /^\d+$/.test(id))
    assert.equal(isOfRow, false)
    assert.match(
      one.lines.questions[0]?.body ?? '',
      /@\[Person \d\]\(exchange:person\/[\w-]{22}\) and @someone/,
    )
  })
})

test('an export is one file too, for its owner alone, and whole or not there', async (t) => {
  const db = await testDatabase(t)
  const folder = await aFolder(t)
  await aWholeCourse(db, join(folder, 'pictures'))
  const path = join(folder, 'out.tar.zst')
  const options = { path, baseUrl: BASE_URL, isPseudonymous: false }
  await exportCourse(db, fileStore(join(folder, 'pictures')), { ...options, slug: 'rest' })
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  const unknown = exportCourse(db, fileStore(folder), { ...options, slug: 'none', path: `${path}x` })
  await assert.rejects(unknown, { message: 'there is no course "none"' })
  assert.deepEqual((await readdir(folder)).sort(), ['out.tar.zst', 'pictures'])
})
