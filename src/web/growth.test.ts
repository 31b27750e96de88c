import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import { countOlderPosts } from '../forum/people/queries.ts'
import { refreshStatistics } from '../forum/search/statistics.ts'
import { noteContents } from '../operating/doctor/contents.ts'
import { testApp } from '../testing/app.ts'
import { aForumOf, BIG_FORUM_QUESTIONS } from '../testing/big-forum.ts'
import { type Browser, signedIn, visitor } from '../testing/browser.ts'
import { explainedBy } from '../testing/plans.ts'
import { routesOf } from '../testing/routes-of.ts'

/** Questions of the two forums. */
const SIZES = { little: 500, big: BIG_FORUM_QUESTIONS } as const

/** Pages that read what they are about to its end: all of it is handed over, or its size is what they say. */
const WHOLE: ReadonlySet<string> = new Set([
  '/courses/:course/members.csv',
  '/settings/account/data',
  '/sitemap.xml',
  // Of one course, and kept until the next day.
  '/courses/:course/figures',
  '/courses/:course/figures.csv',
  // What would go with a course.
  '/courses/:course/deletion',
  // How many questions a copy of a course can bring along.
  '/courses/:course/settings/copy',
  // Counts people up to 1,001.
  '/admin/people',
])

/** Answers that never end. */
const STREAMS = /^\/live\/|\/live$/

/** Blocks that a page of the large forum may read: indexes are a level deeper there. */
const most = (small: number) => 2 * small + 300

test('no page reads more, the more there is in the forum', async (t) => {
  const small = await blocksOfPages(t, 'little')
  const large = await blocksOfPages(t, 'big')
  assert.ok([...small.values()].filter(({ status }) => status === 200).length > 80)
  const grown = [...large].filter(
    ([page, { blocks }]) =>
      !WHOLE.has(page.split(' ')[0] ?? '') && blocks > most(small.get(page)?.blocks ?? 0),
  )
  assert.deepEqual(
    grown.map(
      ([page, { blocks, worst }]) => `${page}: ${small.get(page)?.blocks} blocks, then ${blocks}: ${worst}`,
    ),
    [],
  )
})

interface Read {
  readonly status: number
  readonly blocks: number
  /** The statement that reads most. */
  readonly worst: string
}

/** What each page reads, by its path and who looks. */
async function blocksOfPages(t: TestContext, size: keyof typeof SIZES): Promise<Map<string, Read>> {
  const { db, url } = await aForumOf(t, size, SIZES[size])
  const named = await busiestOf(db)
  await countOlderPosts(db)
  await noteContents(db)
  await refreshStatistics(db)
  const statuses = new Map<string, number>()
  const plans = await explainedBy(url, async function* (recorded) {
    const app = await testApp(t, recorded)
    app.renderLimit.count = () => undefined
    const viewers: Readonly<Record<string, Browser>> = {
      visitor: visitor(app),
      author: await signedIn(app, named.author),
    }
    // What is near a question is looked for once, and kept.
    await viewers.visitor?.get(`/questions/${named.question}`).then((moved) => viewers.visitor?.follow(moved))
    yield 'before'
    for (const { method, path } of routesOf(app))
      for (const [name, viewer] of Object.entries(viewers)) {
        if (method !== 'GET' || STREAMS.test(path)) continue
        const answer = await viewer.get(pathIn(path, named))
        const page = answer.statusCode === 301 ? await viewer.follow(answer) : answer
        statuses.set(`${path} ${name}`, page.statusCode)
        yield `${path} ${name}`
      }
  })
  const read = new Map<string, Read>()
  for (const [page, status] of statuses) {
    const parts = plans.get(page) ?? []
    const [worst] = parts.toSorted((one, other) => other.blocks - one.blocks)
    const blocks = parts.reduce((sum, part) => sum + part.blocks, 0)
    const text = worst?.text.replaceAll(/\s+/g, ' ').slice(0, 300) ?? ''
    read.set(page, { status, blocks, worst: `${worst?.blocks} by ${text}` })
  }
  return read
}

/** The things of a forum that most is about. */
async function busiestOf(db: Database) {
  const { rows } = await sql<{
    author: number
    question: number
    answer: number
    course: string
    tag: string
  }>`
    select (select id from people order by answers_count desc, id limit 1) as author,
      (select id from questions order by answers_count desc, id limit 1) as question,
      (select id from answers order by id limit 1) as answer,
      (select slug from courses order by questions_count desc, id limit 1) as course,
      (select tags.name from tags join course_tags as used on used.tag_id = tags.id
        order by used.questions_count desc, tags.id limit 1) as tag`.execute(db)
  const busiest = rows[0] ?? assert.fail('an empty forum')
  // What an instructor of many runs becomes, here an admin, too: an author of nearly all answers. Triggers would do it post by post.
  const { author } = busiest
  await sql
    .raw(`
    alter table answers disable trigger user;
    alter table people disable trigger user;
    update answers set author_id = ${author} where id % 8 <> 0;
    insert into course_authors (course_id, person_id) select id, ${author} from courses on conflict do nothing;
    update people set is_admin = true,
      answers_count = (select count(*) from answers where author_id = ${author}) where id = ${author};
    alter table answers enable trigger user;
    alter table people enable trigger user`)
    .execute(db)
  await sql`analyze`.execute(db)
  return busiest
}

/** The path of a route, about what is busiest. */
function pathIn(
  path: string,
  { author, question, answer, course, tag }: Awaited<ReturnType<typeof busiestOf>>,
) {
  const ids: Readonly<Record<string, number>> = { questions: question, answers: answer, people: author }
  return path
    .replace(':course', course)
    .replace(':tag', encodeURIComponent(tag))
    .replace(/(?<=\/(\w+)\/):id/, (_, kind: string) => String(ids[kind] ?? 1))
    .replace(':lecture', '1')
    .replace(/:[a-z]+/gi, 'x')
}
