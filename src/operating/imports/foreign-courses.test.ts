import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { fileStore } from '../../forum/pictures/store.ts'
import { testApp } from '../../testing/app.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aMember } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { rowOf, rowsOf } from '../../testing/rows.ts'
import { aFolder } from '../exchange/course-testing.ts'
import { importSource } from './foreign-import.ts'
import { aZipOf, COURSE, converted } from './imports-testing.ts'
import { aBackup, aDiscussion, aFile, anActivity, aPost, element } from './moodle/moodle-testing.ts'

type Files = Readonly<Record<string, string | Buffer>>

/** Zyxcanary asked without a name; Shy, whom staff may know, answered. What says Secret isn't for classmates. */
interface Case {
  readonly source: string
  readonly files: Files
  /** The same with one more answer. */
  readonly later: Files
  readonly hasShy: boolean
}

const wrote = (content: string, uid: string, anon: string, minute = 0) => ({
  ...{ subject: 'Which loop?', content, uid, anon, created: `2026-02-01T01:0${minute}:00Z` },
})
const piazza = (...more: readonly object[]): Files => ({
  'users.json': JSON.stringify([
    { user_id: 'u1', name: 'Zyxcanary', email: 'zyxcanary@example.org' },
    { user_id: 'u2', name: 'Shy', email: 'shy@example.org' },
    { user_id: 't1', name: 'Kim', email: 'kim@example.org' },
  ]),
  'class_content.json': JSON.stringify([
    {
      ...{ id: 'k1', type: 'question', nr: 1, status: 'active', tags: ['exam'] },
      history: [wrote('<p>Why $$x$$?</p>', 'u1', 'full')],
      children: [
        {
          ...{ id: 'k2', type: 's_answer' },
          history: [
            wrote('<p>Better, by Kim</p>', 't1', 'no', 4),
            wrote('<p>Third</p>', 'u2', 'stud', 3),
            wrote('<p>First</p>', 'u1', 'full', 1),
          ],
        },
        { id: 'k3', type: 'followup', ...wrote('', 'u2', 'stud', 3), subject: 'See @4 and @5' },
        ...more,
      ],
    },
    {
      ...{ id: 'k4', type: 'question', nr: 4, status: 'private' },
      history: [{ ...wrote('<p>Secret</p>', 't1', 'no'), subject: 'Secret of one' }],
    },
    {
      id: 'k5',
      type: 'question',
      nr: 5,
      status: 'active',
      history: [wrote('<p>Another</p>', 't1', 'no', 5)],
    },
  ]),
})

const picture = await sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } })
  .png()
  .toBuffer()
const file = aFile(5, 'a.png', picture)
const moodle = (...more: readonly string[]): Files =>
  aBackup(
    {
      moodleoverflow_3: anActivity('moodleoverflow', { anonymous: 1 }, [
        aDiscussion(1, { name: 'Which loop?', userid: 8 }, [
          aPost(1, 0, { userid: 8, reviewed: 1 }),
          aPost(2, 1, { userid: 2, reviewed: 1 }, element('rating', 1, { userid: 8, rating: 4 })),
        ]),
      ]),
      forum_9: anActivity('forum', {}, [
        aDiscussion(5, { name: 'With a picture' }, [
          aPost(5, 0, { message: '<p><img src="@@PLUGINFILE@@/a.png" alt="A"></p>' }),
          aPost(6, 5, { privatereplyto: 7, message: 'Secret' }),
          aPost(7, 5, { message: '<p>See <a href="$@FORUMDISCUSSIONVIEW*9@$">that</a></p>' }),
          ...more,
        ]),
        aDiscussion(9, { name: 'Secret group', groupid: 3 }, [
          aPost(9, 0, { message: 'Secret' }),
          aPost(11, 9, { message: 'Secret answer' }),
        ]),
      ]),
    },
    { 'files.xml': `<files>${file.xml}</files>`, [file.path]: picture },
  )

const CASES: readonly Case[] = [
  {
    source: 'piazza',
    files: piazza(),
    later: piazza({ id: 'k9', type: 'i_answer', history: [wrote('<p>Later</p>', 't1', 'no', 9)] }),
    hasShy: true,
  },
  { source: 'moodle', files: moodle(), later: moodle(aPost(10, 5)), hasShy: false },
]

for (const { source, files, later, hasShy } of CASES)
  test(`a course of ${source} comes in, and classmates see no more of it than they saw there`, async (t) => {
    const db = await testDatabase(t)
    const store = fileStore(await aFolder(t))
    const options = { source: null, course: COURSE, origin: 'there' }
    const { counts } = (await importSource(db, store, { ...options, path: await aZipOf(t, files) })).tally
    assert.deepEqual(
      [counts.questions?.imported, counts.answers?.imported],
      source === 'piazza' ? [3, 1] : [3, 3],
    )
    const course = await rowOf(db, 'courses', { slug: COURSE.slug })
    assert.deepEqual([course.is_public, course.allows_anonymous], [false, true])
    const app = await testApp(t, db)
    const pagesOf = async (role: 'learner' | 'instructor') =>
      pagesFor(db, await signedIn(app, await aMember(db, course, role)))
    const [learner, staff] = [await pagesOf('learner'), await pagesOf('instructor')]
    const found = (pages: string) =>
      [...new Set(pages.match(/Which loop\?|Zyxcanary|\bShy\b|Secret/g))].sort()
    assert.deepEqual(found(learner), ['Which loop?'])
    assert.deepEqual(found(staff), ['Secret', ...(hasShy ? ['Shy'] : []), 'Which loop?'])
    const kept = JSON.stringify([
      await rowsOf(db, 'people', {}),
      await rowsOf(db, 'imported_people', {}),
      await rowsOf(db, 'post_versions', {}),
    ])
    assert.doesNotMatch(kept, /Zyxcanary|"u1"|"8"/i)
    assert.equal((await rowsOf(db, 'images', {})).length, source === 'moodle' ? 1 : 0)
    assert.deepEqual(await recount(db), [])

    const again = await importSource(db, store, { ...options, path: await aZipOf(t, later) })
    assert.deepEqual(
      ['questions', 'answers', 'replies', 'people', 'pictures'].map(
        (kind) => again.tally.counts[kind]?.imported ?? 0,
      ),
      [0, 1, 0, 0, 0],
    )
  })

/** Every page of the course that says who wrote something. */
async function pagesFor(db: Database, browser: Browser): Promise<string> {
  const paths = async (table: 'questions' | 'answers' | 'replies' | 'people', end = '') =>
    (await rowsOf(db, table, {})).map(({ id }) => `/${table}/${id}${end}`)
  const histories = await Promise.all(
    (['questions', 'answers', 'replies'] as const).map((table) => paths(table, '/history')),
  )
  const bodies: string[] = []
  for (const page of [
    ...[`/courses/${COURSE.slug}`, '/search?q=loop', '/search?q=answer'],
    ...[...(await paths('questions')), ...(await paths('people')), ...histories.flat()],
  ]) {
    const { statusCode, headers, body } = await browser.get(page)
    const shown = statusCode === 301 ? await browser.get(String(headers.location)) : { body }
    bodies.push(shown.body)
  }
  return bodies.join('\n')
}

/** Ten thousand posts of each kind of file, with what an adversary may put in them. */
const MANY = 10_000
const LONG_AGO = '2026-02-01T01:00:00Z'
const numbers = Array.from({ length: MANY - 1 }, (_, index) => index + 2)
const LARGE: readonly [what: string, files: Files][] = [
  [
    'class_content.json, each below the other',
    {
      'class_content.json': [
        `[{"id":"k1","type":"question","nr":1,"status":"active","subject":"x","created":"${LONG_AGO}","children":[`,
        ...numbers.map((id) => `{"id":"k${id}","type":"feedback","subject":"x","uid":"u${id}","children":[`),
        `${']}'.repeat(MANY)}]`,
      ].join(''),
    },
  ],
  [
    'class_content_flat.json',
    {
      'class_content_flat.json': JSON.stringify(
        [1, ...numbers].map((id) => ({
          ...{ id: `k${id}`, thread_id: 'k1', type: id === 1 ? 'question' : 'followup', content: 'x' },
          ...{
            subject: 'Which loop?',
            created: '2026-02-01T01:00:00Z',
            anonimity: 'no',
            editors: [`u${id}`],
          },
        })),
      ),
    },
  ],
  [
    'forum.xml, a chain of replies',
    aBackup({
      forum_9: anActivity('forum', {}, [
        aDiscussion(1, {}, [aPost(1, 0), ...numbers.map((id) => aPost(id, id - 1, { message: 'x' }))]),
      ]),
    }),
  ],
]

for (const [what, files] of LARGE)
  test(`ten thousand posts come in one thread: ${what}`, async (t) => {
    const { lines } = await converted(t, await aZipOf(t, files))
    assert.equal(lines.questions.length + lines.answers.length + lines.replies.length, MANY)
  })
