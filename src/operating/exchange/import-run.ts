import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { beginBulk } from '../../database/bulk.ts'
import type { Database, Write } from '../../database/schema.ts'
import { ACCENTS } from '../../forum/course-settings/settings.ts'
import { createCourse } from '../../forum/courses/commands.ts'
import { cleanText } from '../foreign/clean-text.ts'
import { ExchangeError } from './exchange-error.ts'
import type { ExchangedCourse } from './format.ts'
import { countsOf, ImportTally } from './import-tally.ts'

/** Another process brings something into the course at this moment. */
export class ImportRuns extends Error {}

/** An import as far as it is. */
export interface ImportRun {
  readonly id: number
  readonly courseId: number
  /** What ids are unique in, beside their kind. */
  readonly source: string
  readonly origin: string
  /** The title of the course of this forum that it copies, whose people and pictures are here; null: it comes from elsewhere. */
  readonly copiedFrom: string | null
  /** The course was made for it. */
  readonly makesCourse: boolean
  /** The process that reads. */
  readonly reader: string
  /** Where it goes on: after this line of this file. */
  readonly file: string | null
  readonly line: number
  readonly tally: ImportTally
}

export interface Begun {
  readonly slug: string
  readonly title: string
  readonly course: ExchangedCourse
  readonly origin: string
  readonly copiedFrom: string | null
  readonly digest: Buffer
}

/** For how long no other process goes on with a run after its last batch. A killed one leaves it for so long. */
const READER_TIME = sql`interval '2 minutes'`

/** To the end of the transaction no other import into the course begins, and none is taken back. */
export async function lockImports(write: Write, slug: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`import into ${slug}`}, 0))`.execute(write)
}

/**
 * Begins a run, or goes on with the one of the same export that broke off. A course that isn't there is made, for members alone until the
 * run is shown.
 * @throws ImportRuns; ExchangeError when a run of another export is unfinished in the course
 */
export function beginRun(db: Database, begun: Begun): Promise<ImportRun> {
  const { slug, title, course, origin, copiedFrom, digest } = begun
  return db.transaction().execute(async (write) => {
    await lockImports(write, slug)
    const reader = randomUUID()
    // First: an undo that is waited for may take the course along.
    const unfinished = await write
      .selectFrom('import_runs')
      .select([
        'id',
        'course_id',
        'state',
        'source',
        'origin',
        'digest',
        'file',
        'line',
        'makes_course',
        'counts',
      ])
      .select(sql<boolean>`reader_until > now()`.as('is_read'))
      .where('course_id', '=', ({ selectFrom }) =>
        selectFrom('courses').select('id').where('slug', '=', slug),
      )
      .where('state', 'in', ['reading', 'taking-back'])
      .orderBy('state', 'desc')
      .forUpdate()
      .executeTakeFirst()
    if (unfinished?.state === 'taking-back')
      throw new ImportRuns(`an import into the course "${slug}" is being taken back`)
    const source = course.source.name
    if (unfinished === undefined) {
      const known = await write
        .selectFrom('courses')
        .select('id')
        .where('slug', '=', slug)
        .forKeyShare()
        .executeTakeFirst()
      const courseId = known?.id ?? (await makeCourse(write, slug, title, course))
      const { id } = await write
        .insertInto('import_runs')
        .values({
          ...{ course_id: courseId, source, origin, digest, makes_course: known === undefined },
          copied_from: copiedFrom,
          ...{ reader, reader_until: sql<Date>`now() + ${READER_TIME}` },
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const tally = new ImportTally()
      return {
        ...{ id, courseId, source, origin, copiedFrom, reader, tally },
        makesCourse: known === undefined,
        file: null,
        line: 0,
      }
    }
    if (unfinished.is_read === true)
      throw new ImportRuns(`another import into the course "${slug}" is running`)
    if (!unfinished.digest.equals(digest) || unfinished.origin !== origin || unfinished.source !== source)
      throw new ExchangeError(
        `run ${unfinished.id} into the course "${slug}" is unfinished: import the same export again, or undo it with import --undo ${unfinished.id}`,
      )
    await sql`update import_runs set reader = ${reader}, reader_until = now() + ${READER_TIME} where id = ${unfinished.id}`.execute(
      write,
    )
    const { id, course_id: courseId, file, line } = unfinished
    const tally = new ImportTally(KEPT.parse(unfinished.counts))
    return {
      ...{ id, courseId, source, origin, copiedFrom, reader, tally, file, line },
      makesCourse: unfinished.makes_course,
    }
  })
}

const counted = z.record(z.string(), z.number())
const KEPT = z.object({ imported: counted, skipped: z.record(z.string(), counted), notes: counted }).partial()

async function makeCourse(
  write: Write,
  slug: string,
  title: string,
  course: ExchangedCourse,
): Promise<number> {
  const { field, description, language, time_zone: timeZone } = course
  const { id } = await createCourse(write, { slug, title, language, timeZone, isPublic: false })
  const { allows_private, allows_anonymous, asking, question_template, synonyms } = course
  const accent = ACCENTS.find((known) => known === course.accent)
  await write
    .updateTable('courses')
    .set({ allows_private, allows_anonymous, asking })
    .set({ field: cut(field, 50), description: cut(description, 2000) })
    .set({ question_template: cut(question_template, 2000), synonyms: cut(synonyms, 4000) })
    .set({ asks_about_code: course.asks_about_code === null ? null : Math.min(course.asks_about_code, 1000) })
    .set({ agents: agentsOf(course), ...(accent && { accent }), ...(course.hold && { hold: course.hold }) })
    .set({ promise_hours: course.promise_hours === null ? null : Math.min(course.promise_hours, 8760) })
    .where('id', '=', id)
    .execute()
  return id
}

/** As it was there, but never more than a course has that is made here: instructors open it to agents. */
const agentsOf = ({ agents }: ExchangedCourse) => (agents === 'readers' ? null : agents)

const cut = (text: string, most: number) => Array.from(cleanText(text)).slice(0, most).join('')

/** Does a batch, with where the run goes on after it: a run that breaks off does none twice. @throws ImportRuns as inRun */
export function inBatch(
  db: Database,
  run: ImportRun,
  { file, line }: { readonly file: string; readonly line: number },
  work: (write: Write) => Promise<void>,
): Promise<void> {
  return inRun(db, run, async (write) => {
    await work(write)
    await sql`
      update import_runs set file = ${file}, line = ${line}, counts = ${JSON.stringify(countsOf(run.tally))}::jsonb,
        reader_until = now() + ${READER_TIME}
      where id = ${run.id}`.execute(write)
  })
}

/**
 * Works on a run, as a bulk load in a transaction of its own.
 * @throws ImportRuns when another process goes on with the run
 */
export function inRun(db: Database, run: ImportRun, work: (write: Write) => Promise<void>): Promise<void> {
  return db.transaction().execute(async (write) => {
    // A statement may work on many rows, and the session is idle while texts are rendered.
    await sql`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`.execute(
      write,
    )
    await beginBulk(write)
    await lockRun(write, run)
    await work(write)
  })
}

/** Waits for no one: the run is this process's own. */
async function lockRun(write: Write, run: Pick<ImportRun, 'id' | 'reader'>): Promise<void> {
  const { rows } = await sql`
    select from import_runs where id = ${run.id} and reader = ${run.reader} and state = 'reading' for update`.execute(
    write,
  )
  if (rows.length === 0) throw new ImportRuns('another process goes on with this import, or undoes it')
}

/** A run that broke off may go on at once. */
export async function releaseRun(db: Database, run: ImportRun): Promise<void> {
  await db
    .updateTable('import_runs')
    .set({ reader: null, reader_until: null })
    .where('id', '=', run.id)
    .where('reader', '=', run.reader)
    .execute()
}

/** Undoes runs that broke off and that no one went on with for a day. @returns how many posts went */
export async function sweepImportRuns(db: Database): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from import_runs where state = 'reading' and started_at < now() - interval '1 day'
      and (reader_until is null or reader_until < now()) order by id`.execute(db)
  let removed = 0
  for (const { id } of rows) removed += await undoRun(db, id)
  return removed
}

/** Posts that are removed in a transaction. */
const REMOVED_AT_ONCE = 1000

/**
 * Removes what a run brought that isn't shown yet, and the course that was made for it. Pictures go with the next sweep.
 * @returns how many posts went
 * @throws ExchangeError when there is no such run, or it is shown
 */
export async function undoRun(db: Database, id: number): Promise<number> {
  const { run, undoer } = await db.transaction().execute((write) => beginUndo(write, id))
  const holding = { id, reader: undoer }
  let removed = 0
  for (;;) {
    const some = await db.transaction().execute(async (write) => {
      await lockRun(write, holding)
      await sql`update import_runs set reader_until = now() + ${READER_TIME} where id = ${id}`.execute(write)
      return removeSome(write, id)
    })
    removed += some
    if (some === 0) break
  }
  await db.transaction().execute(async (write) => {
    await lockRun(write, holding)
    const { rows: people } = await sql<{ id: number }>`
      delete from imported_people where run_id = ${id} returning person_id as id`.execute(write)
    await sql`delete from people where id = any(${people.map((person) => person.id)}::bigint[])`.execute(
      write,
    )
    await sql`delete from imported_things where run_id = ${id}`.execute(write)
    await sql`delete from import_runs where id = ${id}`.execute(write)
    if (run.makes_course)
      await sql`
        delete from courses where id = ${run.course_id}
          and not exists (select from questions where course_id = ${run.course_id})`.execute(write)
  })
  return removed
}

/** Nobody goes on with the run meanwhile, and whoever does when an undo broke off begins it anew. */
async function beginUndo(write: Write, id: number) {
  const run = await write
    .selectFrom('import_runs')
    .select(['state', 'course_id', 'makes_course', sql<boolean>`reader_until > now()`.as('is_read')])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (run === undefined) throw new ExchangeError(`there is no run ${id}`)
  if (run.state !== 'reading') throw new ExchangeError(`run ${id} is finished: take it back`)
  if (run.is_read === true) throw new ImportRuns(`run ${id} is being imported`)
  const undoer = randomUUID()
  await sql`
    update import_runs set reader = ${undoer}, reader_until = now() + ${READER_TIME}, file = null, line = 0, counts = '{}'
    where id = ${id}`.execute(write)
  return { run, undoer }
}

async function removeSome(write: Write, runId: number): Promise<number> {
  await beginBulk(write)
  const { rows } = await sql<{
    question_id: number | null
    answer_id: number | null
    reply_id: number | null
  }>`
    delete from imported_posts where ctid = any(array(
      select ctid from imported_posts where run_id = ${runId} order by kind desc, external_id limit ${REMOVED_AT_ONCE}))
    returning question_id, answer_id, reply_id`.execute(write)
  const ids = (column: keyof (typeof rows)[number]) => rows.flatMap((row) => row[column] ?? [])
  await sql`update questions set accepted_answer_id = null where accepted_answer_id = any(${ids('answer_id')}::bigint[])`.execute(
    write,
  )
  await sql`delete from replies where id = any(${ids('reply_id')}::bigint[]) and held_for = 'import'`.execute(
    write,
  )
  await sql`delete from answers where id = any(${ids('answer_id')}::bigint[]) and held_for = 'import'`.execute(
    write,
  )
  await sql`delete from questions where id = any(${ids('question_id')}::bigint[]) and held_for = 'import'`.execute(
    write,
  )
  return rows.length
}
