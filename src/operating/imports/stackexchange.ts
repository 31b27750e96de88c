import { basename } from 'node:path'
import { sql } from 'kysely'
import { beginBulk, endBulk } from '../../database/bulk.ts'
import type { Database, Write } from '../../database/schema.ts'
import { createCourse, DEFAULT_CATEGORY } from '../../forum/courses/commands.ts'
import { refreshOldStatistics } from '../../forum/search/statistics.ts'
import { ImportRuns } from '../exchange/import-run.ts'
import { stageUsers, tallyUsers } from './authors.ts'
import { type CourseImport, type ImportProgress, SOURCE, Tally } from './course-import.ts'
import { type DumpFile, type DumpFolder, openDump } from './dump.ts'
import { finishImport } from './finish-import.ts'
import { importComments } from './import-comments.ts'
import { importAnswers, importQuestions } from './import-posts.ts'
import { createStaging, stageSources } from './staging.ts'

interface ImportOptions {
  /** The folder with Posts.xml, Users.xml, Comments.xml and ideally PostHistory.xml. */
  readonly folder: string
  readonly course: { readonly slug: string; readonly title: string }
  /** Which site it is of; the folder's name, unless said. */
  readonly origin?: string
  readonly onProgress?: ImportProgress
}

/** The course has posts of another site: whether this dump is of that one is for the operator to say. */
export class OtherOrigin extends Error {}

/** Number of passes over each file. */
const READINGS: Readonly<Record<DumpFile, number>> = { users: 1, posthistory: 1, posts: 2, comments: 1 }

/**
 * Imports a Stack Exchange dump into a course, and creates the course when no course has this slug. One transaction: a
 * failure leaves the database unchanged. Posts of earlier imports stay as they are now, so a second run adds only what
 * a newer dump adds.
 * @returns what was read, imported and skipped
 * @throws DumpError when the dump cannot be read, ImportRuns, OtherOrigin
 */
export async function importStackExchange(db: Database, options: ImportOptions): Promise<Tally> {
  const { onProgress } = options
  const dump = await openDump(options.folder, (count) => onProgress?.advance(count))
  const files = Object.entries(READINGS) as [DumpFile, number][]
  onProgress?.begin(
    'Importing',
    files.reduce((bytes, [file, times]) => bytes + dump.size(file) * times, 0),
  )
  const tally = await db.transaction().execute((write) => importInto(write, dump, options))
  await refreshOldStatistics(db)
  return tally
}

async function importInto(
  write: Write,
  dump: DumpFolder,
  { folder, course: { slug, title }, origin: said, onProgress }: ImportOptions,
): Promise<Tally> {
  // A statement may work on millions of rows, and the session is idle while a file is read.
  await sql`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`.execute(write)
  await beginBulk(write)
  const { rows } = await sql<{ is_free: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`import into ${slug}`}, 0)) as is_free`.execute(write)
  if (rows[0]?.is_free !== true) throw new ImportRuns(`another import into the course "${slug}" is running`)
  await createStaging(write)
  const place = await placeOf(write, slug, title)
  const origin = said ?? basename(folder)
  if (said === undefined) await refuseOtherOrigin(write, place.courseId, origin)
  const course: CourseImport = { write, dump, tally: new Tally(dump.unread), onProgress, origin, ...place }
  await stageUsers(write, dump)
  await stageSources(write, dump)
  await importQuestions(course)
  await importAnswers(course)
  await importComments(course)
  await tallyUsers(course)
  await finishImport(course)
  await endBulk(write)
  return course.tally
}

/** Ids of another site mean other posts; of the same one, under another name of its folder, they would all come twice. */
async function refuseOtherOrigin(write: Write, courseId: number, origin: string): Promise<void> {
  const { rows } = await sql<{ origin: string }>`
    select distinct origin from imported_people where course_id = ${courseId} and source = ${SOURCE} order by 1`.execute(
    write,
  )
  const known = rows.map((row) => row.origin)
  if (known.length === 0 || known.includes(origin)) return
  throw new OtherOrigin(
    `the course has posts of ${known.join(', ')}: add --origin ${known[0]} to go on with it, or --origin ${origin} for another site`,
  )
}

async function placeOf(write: Write, slug: string, title: string) {
  const existing = await write.selectFrom('courses').select('id').where('slug', '=', slug).executeTakeFirst()
  const { id } = existing ?? (await createCourse(write, { slug, title, language: 'en', timeZone: 'UTC' }))
  const category = await write
    .selectFrom('categories')
    .select('id')
    .where('course_id', '=', id)
    .orderBy(sql`slug <> ${DEFAULT_CATEGORY.slug}`)
    .orderBy('position')
    .limit(1)
    .executeTakeFirstOrThrow()
  return { courseId: id, categoryId: category.id }
}
