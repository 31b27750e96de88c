import { join } from 'node:path'
import { sql } from 'kysely'
import { unhurried } from '../../database/connection.ts'
import type { Database } from '../../database/schema.ts'
import { COPYING } from '../../forum/course-settings/brought-questions.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'
import { idsOf, type Kind } from '../../jobs/kind.ts'
import { inFolder } from '../foreign/temporary-folder.ts'
import { exportCourse } from './course-export.ts'
import { importExchange } from './course-import.ts'
import { undoRun } from './import-run.ts'

/** The course to copy was deleted meanwhile. */
class CourseGone extends Error {}

interface Options {
  readonly store: PictureStore
  /** Of the forum. */
  readonly baseUrl: string
}

/** Brings questions of one course into another, which was made like it. */
export function copyingKind(db: Database, options: Options): Kind {
  return {
    name: COPYING,
    concurrency: 1,
    batch: 1,
    // One that takes longer goes on, and whoever else tries is refused by its run.
    timeout: 600_000,
    async run(jobs, signal) {
      for (const id of idsOf(jobs)) await bringQuestions(db, options, id, signal)
    },
    isHopeless: (error) => error instanceof CourseGone,
    async failed({ key }, isGivenUp) {
      if (isGivenUp) await end(db, Number(key), 'failed')
    },
  }
}

/** From the beginning: what broke off is undone, since posts may be hidden or deleted by now. */
async function bringQuestions(
  db: Database,
  { store, baseUrl }: Options,
  courseId: number,
  signal: AbortSignal,
) {
  const copy = await waitingCopy(db, courseId)
  if (copy === undefined) return
  const { slug, from, choice, hasNames } = copy
  if (from === null) throw new CourseGone('the course that is copied was deleted')
  const broken = db.selectFrom('import_runs').select('id').where('course_id', '=', courseId)
  for (const { id } of await broken
    .where('state', '=', 'reading')
    .where('copied_from', 'is not', null)
    .execute())
    await undoRun(db, id)
  const origin = `${baseUrl}/courses/${from.slug}`
  await placeAlike(db, { from: from.id, to: courseId, origin })
  await inFolder('copy', async (folder) => {
    const path = join(folder, 'course')
    const selection = { ...choice, hasNames }
    const exported = { slug: from.slug, path, baseUrl, isPseudonymous: false, copy: selection }
    const { questions } = await unhurried(db, (own) => exportCourse(own, store, exported))
    await db
      .updateTable('course_copies')
      .set({ to_copy: questions })
      .where('course_id', '=', courseId)
      .execute()
    const stop = () => stopIfQuitting(signal)
    const onProgress = { begin: () => undefined, advance: stop, wait: stop }
    const given = { path, course: { slug }, origin, copiedFrom: from.title, onProgress }
    await unhurried(db, (own) => importExchange(own, store, given))
  })
  await end(db, courseId, 'copied')
}

/** A stop breaks it off between two batches; that it takes long doesn't. */
function stopIfQuitting({ aborted, reason }: AbortSignal): void {
  if (aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError')) throw reason
}

async function waitingCopy(db: Database, courseId: number) {
  const copy = await db
    .selectFrom('course_copies as copy')
    .innerJoin('courses as course', 'course.id', 'copy.course_id')
    .leftJoin('courses as source', 'source.id', 'copy.from_course_id')
    .select(['course.slug', 'copy.is_all', 'copy.lecture_ids', 'copy.tag_ids', 'copy.has_names'])
    .select(['source.id as from_id', 'source.slug as from_slug', 'source.title as from_title'])
    .where('copy.course_id', '=', courseId)
    .where('copy.state', '=', 'waiting')
    .executeTakeFirst()
  if (copy === undefined) return undefined
  const { from_id: id, from_slug: fromSlug, from_title: title } = copy
  return {
    slug: copy.slug,
    from: id === null || fromSlug === null || title === null ? null : { id, slug: fromSlug, title },
    choice: {
      isAll: copy.is_all,
      lectureIds: copy.lecture_ids.map(Number),
      tagIds: copy.tag_ids.map(Number),
    },
    hasNames: copy.has_names,
  }
}

/** Lectures and categories are there already: what is in one of the course is in the same of its copy, where that is still alike. */
async function placeAlike(
  db: Database,
  { from, to, origin }: { readonly from: number; readonly to: number; readonly origin: string },
): Promise<void> {
  await sql`
    insert into imported_things (course_id, source, origin, kind, external_id, lecture_id)
    select ${to}, 'handup', ${origin}, 'lecture', theirs.id, ours.id from lectures as theirs
    join lectures as ours on ours.course_id = ${to} and ours.position = theirs.position and ours.title = theirs.title
    where theirs.course_id = ${from} on conflict do nothing`.execute(db)
  await sql`
    insert into imported_things (course_id, source, origin, kind, external_id, category_id)
    select ${to}, 'handup', ${origin}, 'category', theirs.id, ours.id from categories as theirs
    join categories as ours on ours.course_id = ${to} and ours.slug = theirs.slug
    where theirs.course_id = ${from} on conflict do nothing`.execute(db)
}

async function end(db: Database, courseId: number, state: 'copied' | 'failed'): Promise<void> {
  const ended = { state, ended_at: sql<Date>`now()` }
  await db
    .updateTable('course_copies')
    .set(ended)
    .where('course_id', '=', courseId)
    .where('state', '=', 'waiting')
    .execute()
}
