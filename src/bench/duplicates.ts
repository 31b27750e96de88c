import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import { dumpRows } from '../imports/dump-rows.ts'
import { findSimilar } from '../search/similar.ts'
import { row, table } from '../text/markdown-table.ts'
import { baselineSearch } from './baseline.ts'
import { type Place, placeOf, recallOf, three } from './recall-measures.ts'

/** A dump whose PostLinks.xml says which questions are duplicates (type 3) or related (type 1). */
export interface LinkedDump {
  readonly slug: string
  readonly folder: string
}

interface Linked {
  readonly from: number
  readonly to: number
  readonly type: string
}

interface Question {
  readonly id: number
  readonly course_id: number
  readonly title: string
  readonly body: string
  readonly tags: string[]
}

/** The linked question looked for among the similar ones of the other, by its title alone and by all that was typed. */
export async function duplicates(
  db: Database,
  dumps: readonly LinkedDump[],
  say: (line: string) => void,
): Promise<string> {
  const lines: string[] = []
  for (const type of ['3', '1']) {
    for (const isWhole of [false, true]) {
      const all: { ours: Place; plain: Place }[] = []
      for (const dump of dumps) {
        const places = await measure(db, await findLinks(db, dump, type), isWhole)
        lines.push(line(dump.slug, type, isWhole, places))
        all.push(...places)
      }
      lines.push(line('both', type, isWhole, all))
    }
    say(`duplicates and related questions: type ${type}`)
  }
  return table(
    ['dump', 'link', 'given', 'pairs', 'recall@5', 'recall@10', 'baseline recall@5', 'baseline recall@10'],
    lines,
  )
}

function line(
  slug: string,
  type: string,
  isWhole: boolean,
  places: readonly { ours: Place; plain: Place }[],
): string {
  const ours = recallOf(places.map((place) => place.ours))
  const plain = recallOf(places.map((place) => place.plain))
  const link = type === '3' ? 'duplicate (3)' : 'related (1)'
  const given = isWhole ? 'title, body, tags' : 'title'
  return row(
    slug,
    link,
    given,
    ours.queries,
    three(ours.recall5),
    three(ours.recall10),
    three(plain.recall5),
    three(plain.recall10),
  )
}

async function measure(db: Database, links: readonly Linked[], isWhole: boolean) {
  const places: { ours: Place; plain: Place }[] = []
  for (const link of links) {
    const question = await findQuestion(db, link.from)
    const body = isWhole ? question.body : ''
    const to = {
      title: question.title,
      body,
      tags: isWhole ? question.tags : [],
      courseId: question.course_id,
      exceptId: link.from,
    }
    const similar = await findSimilar(db, null, to, 10)
    const scope = { courseId: question.course_id, exceptId: link.from }
    const baseline = await baselineSearch(db, `${question.title} ${body}`, 'any', scope)
    places.push({
      ours: placeOf(
        similar.map(({ id }) => id),
        link.to,
      ),
      plain: placeOf(baseline, link.to),
    })
  }
  return places
}

async function findLinks(db: Database, dump: LinkedDump, type: string): Promise<Linked[]> {
  const { rows } = await sql<{ source_id: number; post_id: number }>`
    select post.source_id, post.post_id from imported_posts as post join courses as course on course.id = post.course_id
    where course.slug = ${dump.slug} and post.kind = 'question'`.execute(db)
  const ids = new Map(rows.map((post) => [post.source_id, post.post_id]))
  const links: Linked[] = []
  for await (const link of dumpRows(`${dump.folder}/PostLinks.xml`, 'postlinks')) {
    const from = ids.get(link.id('PostId'))
    const to = ids.get(link.id('RelatedPostId'))
    const isWanted = link.text('LinkTypeId') === type && from !== to
    if (isWanted && from !== undefined && to !== undefined) links.push({ from, to, type })
  }
  return links
}

async function findQuestion(db: Database, id: number): Promise<Question> {
  const { rows } = await sql<Question>`
    select q.id, q.course_id, q.title, q.body, array(select tags.name from question_tags
      join tags on tags.id = question_tags.tag_id where question_tags.question_id = q.id) as tags
    from questions as q where q.id = ${id}`.execute(db)
  const question = rows[0]
  if (question === undefined) throw new Error(`question ${id} has gone`)
  return question
}
