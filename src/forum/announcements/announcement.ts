import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { z } from 'zod'
import { type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { Database, Write } from '../../database/schema.ts'
import { author, table } from '../../database/table.ts'
import { personOf } from '../../kernel/actor.ts'
import { optional, whole } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { ownPart } from '../../kernel/own-data.ts'
import { EditedMeanwhile, notFound, refusal } from '../../kernel/problem.ts'
import type { CourseAct } from '../../kernel/rights/rights.ts'
import type { RenderedText } from '../../text/markdown.ts'
import { mentionsAsNames, withTypedNames } from '../../text/mentions.ts'
import { Task } from '../../text/thread/thread.ts'
import { API, listOf, reading } from '../../web/json/endpoint.ts'
import { pageIn, pageOfTexts, paging } from '../../web/json/paging.ts'
import { id, resource, role, time, url } from '../../web/json/resource.ts'
import { announcementPath } from '../../web/paths.ts'
import { course, courseFor } from '../courses/find-course.ts'
import { readableCourse } from '../courses/resource.ts'
import { begunWith } from '../posts/editing.ts'
import { postBody, postTitle, version } from '../posts/form.ts'
import { notePictures } from '../posts/text.ts'
import { documentVector } from '../search/document.ts'
import { notifyOfAnnouncement } from '../telling/announcement.ts'

export const announcements = table('announcements', { author_id: author })

export const ANNOUNCEMENTS_PER_PAGE = 20

export type Announcement = NonNullable<Awaited<ReturnType<typeof findAnnouncement>>>

/** The announcements of a course, newest first. Uses index announcements_published. */
export async function listAnnouncements(
  db: Database,
  courseId: number,
  request: PageRequest,
  size = ANNOUNCEMENTS_PER_PAGE,
) {
  const page = pageAlong('news.published_at', 'news.id', 'time', request)
  const rows = await selectAnnouncements(db)
    .where('news.course_id', '=', courseId)
    .where(page.beyond)
    .orderBy(page.order)
    .limit(size + 1)
    .execute()
  return pageOf(rows, size, request, ({ published_at }) => published_at)
}

/** One, with the one it corrects and the latest that corrects it. */
export function findAnnouncement(db: Database, id: number) {
  return selectAnnouncements(db)
    .select((select) => [
      select
        .selectFrom('announcements as later')
        .select('later.id')
        .whereRef('later.corrects_id', '=', 'news.id')
        .orderBy('later.id', 'desc')
        .limit(1)
        .as('correction_id'),
    ])
    .where('news.id', '=', id)
    .executeTakeFirst()
}

function selectAnnouncements(db: Database) {
  return db
    .selectFrom('announcements as news')
    .innerJoin('people as author', 'author.id', 'news.author_id')
    .innerJoin('courses as course', 'course.id', 'news.course_id')
    .leftJoin('course_members as member', (join) =>
      join.onRef('member.course_id', '=', 'news.course_id').onRef('member.person_id', '=', 'news.author_id'),
    )
    .select(['news.id', 'news.title', 'news.body', 'news.version', 'news.published_at', 'news.edited_at'])
    .select(['news.corrects_id', 'news.author_id', 'author.display_name', 'member.role'])
    .leftJoin('announcements as corrected', 'corrected.id', 'news.corrects_id')
    .select(['corrected.id as corrected_id', 'corrected.title as corrected_title'])
    .select(['course.slug as course_slug', 'course.id as course_id'])
}

interface NewsText {
  readonly title: string
  readonly body: RenderedText
}

export interface NewAnnouncement extends NewsText {
  readonly courseId: number
  readonly authorId: number
  /** The announcement of the same course that it corrects. */
  readonly correctsId: number | null
}

/** Tells a course something. @returns the id; null: there is no such announcement to correct */
export async function announce(
  write: Write,
  { courseId, authorId, title, body, correctsId }: NewAnnouncement,
) {
  if (correctsId !== null && !(await isThere(write, courseId, correctsId))) return null
  const { id } = await write
    .insertInto('announcements')
    .values({
      course_id: courseId,
      author_id: authorId,
      title,
      body: body.source,
      corrects_id: correctsId,
      terms: await termsOfNews({ title, body: body.source }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await notePictures(write, { table: 'announcements', id }, body.html, authorId)
  await notifyOfAnnouncement(write, id, authorId)
  return id
}

/** Changes the text, unless it was changed since `version`. It is told to nobody again. */
export async function editAnnouncement(
  write: Write,
  id: number,
  { title, body, actorId, version }: NewsText & { readonly actorId: number; readonly version: number },
): Promise<'done' | 'conflict'> {
  const edited = await write
    .updateTable('announcements')
    .set({
      title,
      body: body.source,
      terms: await termsOfNews({ title, body: body.source }),
      version: sql`version + 1`,
      edited_at: sql`now()`,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (edited.numUpdatedRows !== 1n) return 'conflict'
  await notePictures(write, { table: 'announcements', id }, body.html, actorId)
  return 'done'
}

async function isThere(write: Write, courseId: number, id: number): Promise<boolean> {
  const found = await write
    .selectFrom('announcements')
    .select('id')
    .where('course_id', '=', courseId)
    .where('id', '=', id)
    .executeTakeFirst()
  return found !== undefined
}

/** UTF-16 units of Markdown whose terms are made where they are needed, in 20 ms at most. */
const MAX_AT_ONCE = 10_000
const making = new Task<typeof documentVector>(
  new URL('../search/document.ts', import.meta.url),
  'documentVector',
)

/** What an announcement or an entry of the FAQ is found by, of a long text made in a thread. @throws NotDone */
export async function termsOfNews({ title, body }: { title: string; body: string }) {
  const document = { title, tags: [], acceptedAnswer: null, others: [body] }
  return body.length > MAX_AT_ONCE ? making.call(document) : documentVector(document)
}

/** An announcement and its course, for an act in it. @throws Problem 404 or 403, NeedsSignIn */
export async function findNews(request: FastifyRequest, id: number, act: CourseAct) {
  if (act !== 'read') request.requirePerson()
  const announcement = await findAnnouncement(request.server.db, id)
  if (announcement === undefined) throw notFound()
  return { course: await courseFor(request, act, announcement.course_slug), announcement }
}

/** An announcement in its course. @throws Problem 'notFound' */
export async function announcement(write: Write, id: number) {
  const found = await findAnnouncement(write, id)
  if (found === undefined) throw notFound()
  return { ...(await course(write, found.course_slug)), announcement: found }
}

/** `corrects`: the id of the announcement that this one corrects. */
const corrected = () => whole(999_999_999_999_999, 'announcements.corrects.unknown')

export const news = { title: postTitle(), body: postBody() }

export const postAnnouncement = operation({
  name: 'post-announcement',
  right: 'announce',
  find: course,
  once: true,
  input: { ...news, corrects: optional(corrected()) },
  events: ['announced'],
  async run({ write, actor, subject: { id: courseId }, input: { title, body, corrects: correctsId }, note }) {
    const id = await announce(write, { courseId, authorId: personOf(actor).id, title, body, correctsId })
    if (id === null) throw refusal('title', 'announcements.corrects.unknown')
    note('announced', { courseId })
    return { id, title, correctsId }
  },
})

/** Changes an announcement. What changes nothing makes no version. @throws EditedMeanwhile */
export const announcementEdit = operation({
  name: 'edit-announcement',
  right: 'announce',
  find: announcement,
  input: { ...news, version },
  events: ['announcement-edited'],
  async run({ write, actor, subject, input: { title, body, version }, note }) {
    const { id } = subject.announcement
    const actorId = personOf(actor).id
    const edit = { title, body, actorId, version: begunWith(version, subject.announcement, actorId) }
    const { announcement: before } = subject
    if (before.title === title && before.body === body.source && before.version === edit.version)
      return { id, title, isChanged: false }
    if ((await editAnnouncement(write, id, edit)) === 'conflict') {
      const now = await findAnnouncement(write, id)
      if (now?.title !== title || now.body !== body.source) throw new EditedMeanwhile()
    }
    note('announcement-edited', { courseId: subject.courseId, id })
    return { id, title, isChanged: true }
  },
})

/** What a person told courses they teach. */
export const ownAnnouncements = ownPart('announcements', (db, { id: personId }) =>
  db
    .selectFrom('announcements')
    .innerJoin('courses as course', 'course.id', 'announcements.course_id')
    .select(['course.title as course', 'announcements.title', 'announcements.body'])
    .select('announcements.published_at as publishedAt')
    .where('announcements.author_id', '=', personId)
    .orderBy('announcements.id')
    .execute(),
)

const announcementSchema = resource('Announcement', {
  id,
  title: z.string(),
  body: z.string(),
  body_html: z.string(),
  author: z.object({ id, name: z.string(), role: role.nullable() }),
  corrects: id.nullable(),
  published_at: time,
  edited_at: time.nullable(),
  url,
})

export const announcementEndpoint = reading(
  '/courses/:course/announcements',
  listOf(announcementSchema),
  { name: 'listAnnouncements', tag: 'courses', query: z.object(paging) },
  async (call) => {
    const { request, query } = call
    const course = await readableCourse(call)
    const asked = pageIn(query.cursor, 'time')
    const page = await listAnnouncements(request.server.db, course.id, asked, query.limit)
    const shown = await pageOfTexts(page.rows, page.older !== null, {
      sourceOf: ({ body }) => body,
      cursorOf: ({ published_at, id }) => ({ value: published_at.getTime(), id }),
    })
    for (const { author_id: author } of shown.rows) request.rendering?.dependsOn(`person:${author}`)
    const items = shown.rows.map((news) => ({
      ...news,
      body: mentionsAsNames(news.body),
      body_html: withTypedNames(news.body_html),
      author: { id: news.author_id, name: news.display_name, role: news.role },
      corrects: news.corrects_id,
      links: { html: announcementPath(news), author: `${API}/people/${news.author_id}` },
    }))
    return { items, next: shown.next }
  },
)
