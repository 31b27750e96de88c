import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { unhurried } from '../../database/connection.ts'
import type { Database } from '../../database/schema.ts'
import { MAX_SWEPT_ROWS, term } from '../../database/terms.ts'
import { lockedCourse } from '../../forum/courses/find-course.ts'
import type { FileStore } from '../../forum/pictures/store.ts'
import { isDeleted } from '../../forum/purging/course-deletion.ts'
import { idsOf, type Kind } from '../../jobs/kind.ts'
import { enqueue } from '../../jobs/table.ts'
import { personOf } from '../../kernel/actor.ts'
import { flag } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { exportCourse } from '../exchange/course-export.ts'
import { inFolder } from '../foreign/temporary-folder.ts'

const EXPORTS = 'exports'
/** Somebody waits for it: after some minutes they are told that it failed. */
const MOST_TRIES = 5

/** Has a copy of a course made, which who asks for it can download for a day. */
export const courseExport = operation({
  name: 'export-course',
  right: 'export-course',
  find: lockedCourse,
  input: { pseudonymous: flag },
  events: ['course-exported'],
  async run({ write, actor, subject: { id: courseId, slug }, input: { pseudonymous }, note }) {
    if (await isDeleted(write, courseId)) throw notFound()
    const asked = {
      ...{ course_id: courseId, asked_by: personOf(actor).id, is_pseudonymous: pseudonymous },
      file: `${randomBytes(16).toString('hex')}.tar.zst`,
    }
    const made = await write
      .insertInto('course_exports')
      .values(asked)
      .onConflict((one) => one.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (made === undefined) throw refusal('pseudonymous', 'transfer.export.busy')
    await enqueue(write, EXPORTS, made.id)
    note('course-exported', { courseId, isPseudonymous: pseudonymous })
    return { slug }
  },
})

interface Exporting {
  readonly store: FileStore
  /** Of the forum. */
  readonly baseUrl: string
}

/** Writes what was asked for. */
export function exportKind(db: Database, exporting: Exporting): Kind {
  return {
    name: EXPORTS,
    concurrency: 1,
    batch: 1,
    timeout: 20 * 60_000,
    async run(jobs) {
      for (const id of idsOf(jobs)) await makeExport(db, exporting, id)
    },
    async failed({ key, tries }, isGivenUp) {
      if (!isGivenUp && tries < MOST_TRIES) return
      await db
        .updateTable('course_exports')
        .set({ state: 'failed' })
        .where('id', '=', Number(key))
        .where('state', '=', 'waiting')
        .execute()
    },
  }
}

async function makeExport(db: Database, { store, baseUrl }: Exporting, id: number): Promise<void> {
  const asked = await db
    .selectFrom('course_exports as asked')
    .innerJoin('courses as course', 'course.id', 'asked.course_id')
    .select(['course.slug', 'asked.file', 'asked.is_pseudonymous'])
    .where('asked.id', '=', id)
    .where('asked.state', '=', 'waiting')
    .executeTakeFirst()
  if (asked === undefined) return
  const { slug, file, is_pseudonymous: isPseudonymous } = asked
  await inFolder('export', async (folder) => {
    const path = join(folder, 'course.tar.zst')
    await unhurried(db, (own) => exportCourse(own, store, { slug, path, baseUrl, isPseudonymous }))
    await store.putFile(file, path)
    const made = { state: 'made' as const, bytes: (await stat(path)).size, made_at: sql<Date>`now()` }
    const { numUpdatedRows } = await db
      .updateTable('course_exports')
      .set(made)
      .where('id', '=', id)
      .where('state', '=', 'waiting')
      .executeTakeFirstOrThrow()
    // Its row went meanwhile, and nothing else knows of the file.
    if (numUpdatedRows === 0n) await store.remove(file)
  })
}

/** What somebody asked for of a course in the last day, newest first. */
export function ownExports(db: Database, courseId: number, personId: number) {
  return db
    .selectFrom('course_exports')
    .select(['id', 'state', 'is_pseudonymous', 'bytes', 'asked_at', 'file'])
    .where('course_id', '=', courseId)
    .where('asked_by', '=', personId)
    .where(sql<boolean>`asked_at > now() - ${term('courseExports')}`)
    .orderBy('asked_at', 'desc')
    .limit(MOST_SHOWN)
    .execute()
}
const MOST_SHOWN = 20

/** Removes files that are a day old, or whose course or person is gone, with their rows. @returns how many */
export async function sweepExports(db: Database, store: FileStore): Promise<number> {
  const { rows } = await sql<{ id: number; file: string }>`
    select id, file from course_exports
    where asked_at < now() - ${term('courseExports')} or course_id is null or asked_by is null
    order by asked_at limit ${MAX_SWEPT_ROWS}`.execute(db)
  for (const { id, file } of rows) {
    await store.remove(file)
    await db.deleteFrom('course_exports').where('id', '=', id).execute()
  }
  return rows.length
}
