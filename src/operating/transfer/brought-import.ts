import { randomBytes } from 'node:crypto'
import { sql, type UpdateObject } from 'kysely'
import type { Database, Row, Schema, Write } from '../../database/schema.ts'
import { MAX_SWEPT_ROWS, term } from '../../database/terms.ts'
import { lockedCourse, partOf } from '../../forum/courses/find-course.ts'
import type { FileStore } from '../../forum/pictures/store.ts'
import { isDeleted } from '../../forum/purging/course-deletion.ts'
import { enqueue } from '../../jobs/table.ts'
import { personOf } from '../../kernel/actor.ts'
import { choice, flag, line, optional } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, Problem, refusal } from '../../kernel/problem.ts'
import { cleanLine, cut } from '../foreign/clean-text.ts'
import { CAREFUL, type Choices } from '../imports/source.ts'
import { SOURCES } from '../imports/sources.ts'

export type BroughtImport = Row<'course_imports'>
type State = BroughtImport['state']

/** Its kind of job: kept here, as operations add them. */
export const IMPORTS = 'imports'

/** What a file may be of. */
export const SOURCE_NAMES = ['handup', ...SOURCES.map(({ name }) => name)]

/** As long as a browser's name for a file counts. */
const MAX_NAME = 200

/** Takes note of a file that follows (`keepUpload`). One import at a time comes into a course. */
export const importBringing = operation({
  name: 'bring-import',
  right: 'import-posts',
  find: lockedCourse,
  limit: 'uploading',
  input: { source: optional(choice(SOURCE_NAMES)), file_name: line({ min: 1, max: MAX_NAME }) },
  async run({ write, actor, subject: { id: courseId, slug }, input: { source, file_name } }) {
    if (await isDeleted(write, courseId)) throw notFound()
    const file = `${randomBytes(16).toString('hex')}.upload`
    const brought = await write
      .insertInto('course_imports')
      .values({
        course_id: courseId,
        brought_by: personOf(actor).id,
        file,
        file_name,
        source,
        state: 'uploading',
      })
      .onConflict((one) => one.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (brought === undefined) throw refusal('file', 'transfer.import.busy')
    return { slug, id: brought.id, file }
  },
})

/** Puts the file of an import where every process finds it, and has it tried. @param path on this machine */
export async function keepUpload(
  db: Database,
  store: FileStore,
  { id, file }: { readonly id: number; readonly file: string },
  path: string,
): Promise<void> {
  await store.putFile(file, path)
  const isAwaited = await db.transaction().execute(async (write) => {
    const isIt = await moved(write, id, 'uploading', { state: 'trying' })
    if (isIt) await enqueue(write, IMPORTS, id)
    return isIt
  })
  // It was discarded meanwhile, and nothing else knows of the file.
  if (!isAwaited) await store.remove(file)
}

/** What the dry run asked. What isn't chosen is what shows least. */
export const importStart = operation({
  name: 'start-import',
  right: 'import-posts',
  find: partOf<number>(lockedCourse),
  input: {
    anonymous: optional(choice(['keep', 'drop'])),
    groups: optional(choice(['hold', 'show'])),
    pictures: flag,
  },
  events: ['course-imported'],
  async run({ write, subject: { id: courseId, slug, part: id }, input, note }) {
    const { state, source } = await lockedImport(write, courseId, id)
    if (state !== 'tried') throw new Problem('invalid')
    const { anonymous, groups, pictures } = input
    await moved(write, id, state, {
      ...{ state: 'importing', step: 0, done: 0, total: 0 },
      ...{ anonymous: anonymous ?? CAREFUL.anonymous, groups: groups ?? CAREFUL.groups },
      with_pictures: pictures,
    })
    await enqueue(write, IMPORTS, id)
    note('course-imported', { courseId, importId: id, source: source ?? '' })
    return { slug }
  },
})

/** Ends an import that didn't begin, or failed: its file goes. */
export const importDiscarding = operation({
  name: 'discard-import',
  right: 'import-posts',
  find: partOf<number>(lockedCourse),
  async run({ write, subject: { id: courseId, slug, part: id } }) {
    const { state } = await lockedImport(write, courseId, id)
    if (!DISCARDED.includes(state)) throw new Problem('invalid')
    await moved(write, id, state, { state: 'discarded', problem: null, ended_at: sql<Date>`now()` })
    return { slug, id }
  },
})
const DISCARDED: readonly State[] = ['uploading', 'trying', 'tried', 'failed']

async function lockedImport(write: Write, courseId: number, id: number): Promise<BroughtImport> {
  const brought = await write
    .selectFrom('course_imports')
    .selectAll()
    .where('id', '=', id)
    .where('course_id', '=', courseId)
    .forUpdate()
    .executeTakeFirst()
  if (brought === undefined) throw notFound()
  return brought
}

/** What a command imported, for the course's instructors: what came, where old links lead, and how it is taken back. */
export async function noteCommand(
  db: Database,
  { runId, name, told, choices }: { runId: number; name: string; told: string; choices: Choices },
): Promise<void> {
  const { anonymous, groups } = choices
  await sql`
    insert into course_imports (course_id, state, file_name, source, anonymous, groups, told, run_id, ended_at)
    select course_id, 'shown', ${cut(cleanLine(name), MAX_NAME) || '-'}, source, ${anonymous}, ${groups}, ${told}::jsonb, id, now()
    from import_runs where id = ${runId}`.execute(db)
}

/** The run of an import, of alias `run`, with its row, of alias `brought`. */
export const runOfImport = (db: Database, id: number) =>
  db
    .selectFrom('course_imports as brought')
    .innerJoin('import_runs as run', 'run.id', 'brought.run_id')
    .where('brought.id', '=', id)

/** Changes an import that is as it was. @returns false: it isn't any more */
export async function moved(
  db: Database | Write,
  id: number,
  from: State,
  changes: UpdateObject<Schema, 'course_imports'>,
): Promise<boolean> {
  const { numUpdatedRows } = await updating(db)
    .set(changes)
    .where('id', '=', id)
    .where('state', '=', from)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
const updating = (db: Database | Write) => db.updateTable('course_imports')

/** Those of a course that its instructors see, newest first. */
export function importsOf(db: Database, courseId: number) {
  return db
    .selectFrom('course_imports as brought')
    .leftJoin('import_runs as run', 'run.id', 'brought.run_id')
    .selectAll('brought')
    .select('run.state as runState')
    .where('brought.course_id', '=', courseId)
    .where('brought.state', '<>', 'discarded')
    .orderBy('brought.id', 'desc')
    .limit(MOST_SHOWN)
    .execute()
}
const MOST_SHOWN = 20

/** Of an import that is over, the file goes. @returns how many did */
export async function removeFiles(db: Database, store: FileStore, id: number | null = null): Promise<number> {
  const { rows } = await sql<{ id: number; file: string }>`
    select id, file from course_imports where file is not null and ended_at is not null
      and (${id}::bigint is null or id = ${id}) order by id limit ${MAX_SWEPT_ROWS}`.execute(db)
  for (const { id, file } of rows) {
    await store.remove(file)
    await updating(db).set({ file: null }).where('id', '=', id).execute()
  }
  return rows.length
}

/** Ends what is a day old and not over, and forgets what is a month old, each with its file. @returns how many files went */
export async function sweepImports(db: Database, store: FileStore): Promise<number> {
  await sql`
    update course_imports set state = 'failed', problem = 'it took more than a day', ended_at = now()
    where ended_at is null and (brought_at < now() - ${term('importFiles')} or course_id is null or brought_by is null)`.execute(
    db,
  )
  const removed = await removeFiles(db, store)
  await sql`
    delete from course_imports where file is null
      and (brought_at < now() - ${term('courseImports')} or course_id is null)`.execute(db)
  return removed
}
