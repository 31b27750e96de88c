import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'
import { importExchange, type Progress } from '../exchange/course-import.ts'
import { writeExchange } from '../exchange/folder-writer.ts'
import { ImportTally } from '../exchange/import-tally.ts'
import { type Converted, convertDump } from './convert-dump.ts'
import { type DumpFile, type DumpFolder, openDump } from './dump.ts'
import { withHistory } from './dump-sources.ts'

const SOURCE = 'stackexchange'

interface ImportOptions {
  /** The folder with Posts.xml, Users.xml, Comments.xml and ideally PostHistory.xml and PostLinks.xml. */
  readonly folder: string
  readonly course: { readonly slug: string; readonly title: string }
  /** Which site it is of; the folder's name, unless said. */
  readonly origin?: string
  readonly onProgress?: Progress
}

/** The course has posts of another site: whether this dump is of that one is for the operator to say. */
export class OtherOrigin extends Error {}

/** Number of passes over each file. */
const READINGS: Readonly<Record<DumpFile, number>> = {
  ...{ users: 1, posthistory: 2, postlinks: 1, posts: 2, comments: 1 },
}

/** The lines of the closing table, in their order. */
const KINDS = ['people', 'former members', 'questions', 'answers', 'replies', 'other posts']

/**
 * Imports a Stack Exchange dump into a course, and creates the course when no course has this slug: the dump becomes an export first, which
 * is read as any other. Posts of earlier imports stay as they are now, so a second run adds only what a newer dump adds.
 * @returns what was read, imported and skipped; `unread`: files that were not read
 * @throws DumpError when the dump cannot be read, ImportRuns, OtherOrigin
 */
export async function importStackExchange(db: Database, options: ImportOptions) {
  const { folder, course, onProgress, origin = basename(folder) } = options
  const dump = await openDump(folder, (count) => onProgress?.advance(count))
  if (options.origin === undefined) await refuseOtherOrigin(db, course.slug, origin)
  const work = await mkdtemp(join(tmpdir(), 'handup-dump-'))
  try {
    const path = join(work, 'export')
    const tally = new ImportTally({}, KINDS)
    onProgress?.begin('Converting', bytesOf(dump))
    const converted = await withHistory(dump, join(work, 'texts'), (history) =>
      writeExchange(path, (writer) => convertDump({ dump, history, writer, tally, course, origin })),
    )
    const imported = await importExchange(db, NO_PICTURES, {
      path,
      course,
      origin,
      ...(onProgress && { onProgress }),
    })
    tally.add(imported.tally)
    await tallyPeople(db, imported.runId, converted, tally)
    return { counts: tally.counts, notes: tally.notes, unread: dump.unread }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Pictures of a dump are links. */
const NO_PICTURES: PictureStore = {
  put: () => Promise.reject(new Error('a dump has no pictures')),
  get: async () => null,
  remove: async () => undefined,
}

function bytesOf(dump: DumpFolder): number {
  const files = Object.entries(READINGS) as [DumpFile, number][]
  return files.reduce((bytes, [file, times]) => bytes + dump.size(file) * times, 0)
}

/** Ids of another site mean other posts; of the same one, under another name of its folder, they would all come twice. */
async function refuseOtherOrigin(db: Database, slug: string, origin: string): Promise<void> {
  const { rows } = await sql<{ origin: string }>`
    select distinct kept.origin from imported_people as kept join courses as course on course.id = kept.course_id
    where course.slug = ${slug} and kept.source = ${SOURCE} order by 1`.execute(db)
  const known = rows.map((row) => row.origin)
  if (known.length === 0 || known.includes(origin)) return
  throw new OtherOrigin(
    `the course has posts of ${known.join(', ')}: add --origin ${known[0]} to go on with it, or --origin ${origin} for another site`,
  )
}

/** What became of each user, and of authors that are none any more. */
async function tallyPeople(
  db: Database,
  runId: number,
  { users, former }: Converted,
  tally: ImportTally,
): Promise<void> {
  const { rows } = await sql<{ is_former: boolean; made: number; before: number }>`
    select kept.is_gone or kept.external_id = any(${[...former]}::text[]) as is_former,
      count(*) filter (where kept.run_id = run.id) as made, count(*) filter (where kept.run_id is distinct from run.id) as before
    from import_runs as run join imported_people as kept
      on kept.course_id = run.course_id and kept.source = run.source and kept.origin = run.origin
    where run.id = ${runId} group by 1`.execute(db)
  const of = (isFormer: boolean) => rows.find((row) => row.is_former === isFormer) ?? { made: 0, before: 0 }
  const [gone, here] = [of(true), of(false)]
  tally.imported('former members', gone.made)
  tally.skipped('former members', 'imported before', gone.before)
  tally.skipped('former members', 'wrote nothing', Math.max(0, former.size - gone.made - gone.before))
  tally.imported('people', here.made)
  tally.skipped('people', 'imported before', here.before)
  tally.skipped('people', 'wrote nothing', Math.max(0, users - here.made - here.before))
}
