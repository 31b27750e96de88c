import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'
import { listOf, reading } from '../../web/json/endpoint.ts'
import { pageIn, paging } from '../../web/json/paging.ts'
import { count, resource, url } from '../../web/json/resource.ts'
import { pathWith, tagPath } from '../../web/paths.ts'
import { courseAddress, readableCourse } from '../courses/resource.ts'

export const TAGS_PER_PAGE = 200
const SUGGESTED_TAGS = 8

/** Tags in readable courses, most used first. @param narrow to a beginning ('': all), and one course */
export async function listTags(
  db: Database,
  viewer: Actor | null,
  { beginning, courseId }: { readonly beginning: string; readonly courseId: number | null },
  request: PageRequest,
  size = TAGS_PER_PAGE,
) {
  const page = pageAlong('used.questions_count', 'tag.id', 'count', request)
  const counted = countedTags(db, viewer)
    .$if(courseId !== null, (query) => query.where('used.course_id', '=', courseId))
    .$if(beginning !== '', (query) =>
      query.where('used.tag_id', 'in', (select) =>
        select
          .selectFrom('tags')
          .select('id')
          .where(beginsSo(sql.ref('name'), beginning)),
      ),
    )
  const rows = await db
    .selectFrom(counted.as('used'))
    .innerJoin('tags as tag', 'tag.id', 'used.tag_id')
    .select(['tag.id', 'tag.name', 'used.questions_count'])
    .where(page.beyond)
    .orderBy(page.order)
    .limit(size + 1)
    .execute()
  return pageOf(rows, size, request, (tag) => tag.questions_count)
}

/** Tags of a course that begin so, or an alias of which does, most used first. */
export async function mostUsedTags(db: Database, courseId: number, beginning: string): Promise<string[]> {
  const rows = await db
    .selectFrom('course_tags as used')
    .innerJoin('tags as tag', 'tag.id', 'used.tag_id')
    .select('tag.name')
    .where('used.course_id', '=', courseId)
    .where('used.questions_count', '>', 0)
    .where(
      sql<boolean>`(${beginsSo(sql.ref('tag.name'), beginning)} or used.tag_id in (select alias.tag_id from tag_aliases as alias
        where alias.course_id = ${courseId} and ${beginsSo(sql.ref('alias.name'), beginning)}))`,
    )
    .orderBy('used.questions_count', 'desc')
    .orderBy('tag.id', 'desc')
    .limit(SUGGESTED_TAGS)
    .execute()
  return rows.map(({ name }) => name)
}

/** Whatever its accents: the database's own folding (name_words), in which a blank is before each word. */
function beginsSo(name: RawBuilder<unknown>, beginning: string): RawBuilder<boolean> {
  const words = sql`rtrim(name_words(${beginning}))`
  return sql<boolean>`(starts_with(name_words(${name}), ${words}) and ${words} <> '')`
}

/** A tag by its name; null when no question that the viewer may read carries it. */
export async function findTag(db: Database, viewer: Actor | null, name: string) {
  const row = await countedTags(db, viewer)
    .where('used.tag_id', '=', (select) => select.selectFrom('tags').select('id').where('name', '=', name))
    .executeTakeFirst()
  return row === undefined ? null : { id: row.tag_id, name, questionsCount: row.questions_count }
}

/** What a word means in a course, and what the course says of it: of the tag of that name, or of that alias. null: no question has it. */
export async function tagInCourse(db: Database, courseId: number, word: string) {
  const { rows } = await sql<{ name: string; description: string }>`
    select tag.name, used.description from tags as tag
    join course_tags as used on used.tag_id = tag.id and used.course_id = ${courseId} and used.questions_count > 0
    where tag.id = coalesce(
      (select tag_id from tag_aliases where course_id = ${courseId} and name = ${word}),
      (select id from tags where name = ${word}))`.execute(db)
  return rows[0] ?? null
}

/** A tag counts only where the viewer may read: one that only a private course uses is unknown to all others. */
function countedTags(db: Database, viewer: Actor | null) {
  return db
    .selectFrom('course_tags as used')
    .innerJoin('courses as course', 'course.id', 'used.course_id')
    .select(['used.tag_id', sql<number>`sum(used.questions_count)::integer`.as('questions_count')])
    .where('used.questions_count', '>', 0)
    .where(visibleTo(viewer))
    .groupBy('used.tag_id')
}

const tagSchema = resource('Tag', { name: z.string(), questions_count: count, url })

export const tagEndpoint = reading(
  '/courses/:course/tags',
  listOf(tagSchema),
  { name: 'listTags', tag: 'courses', query: z.object(paging) },
  async (call) => {
    const { request, query } = call
    const course = await readableCourse(call)
    const filter = { beginning: '', courseId: course.id }
    const asked = pageIn(query.cursor, 'count')
    const page = await listTags(request.server.db, request.person, filter, asked, query.limit)
    const questions = `${courseAddress(course)}/questions`
    const items = page.rows.map(({ name, ...row }) => {
      const links = { html: tagPath(name), questions: pathWith(questions, { tag: name }) }
      return { ...row, name, links }
    })
    return { items, next: page.older }
  },
)
