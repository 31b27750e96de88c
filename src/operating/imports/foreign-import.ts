import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'
import type { GuardedClient } from '../../web/guarded-fetch.ts'
import { importExchange, type Progress, tryExchange } from '../exchange/course-import.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { type ExchangeWriter, writeExchange } from '../exchange/folder-writer.ts'
import { ImportTally } from '../exchange/import-tally.ts'
import { inFolder } from '../foreign/temporary-folder.ts'
import { FetchedPictures } from './fetched-pictures.ts'
import { CAREFUL, type Choices, type Converted, type Source } from './source.ts'
import { withSourceFiles } from './source-files.ts'
import { SOURCES } from './sources.ts'

export interface ConversionOptions {
  /** A folder, an archive, or one file. */
  readonly path: string
  /** null: told by what is in the files. */
  readonly source: Source | null
  /** What a course is called that is made for it. */
  readonly course: { readonly slug: string; readonly title: string }
  /** Which site and course it is of, unless the files say. */
  readonly origin?: string | null
  readonly choices?: Partial<Choices>
  /** Pictures on other sites come along, as far as they can be had. */
  readonly pictures?: boolean
  /** What they are fetched with. */
  readonly client?: GuardedClient
  readonly onProgress?: Progress
  /** Told of the run before anything is read. */
  readonly onBegun?: (runId: number) => Promise<void>
}

interface Told extends Converted {
  readonly source: Source
  readonly tally: ImportTally
  /** What ids are unique in. */
  readonly origin: string | null
}

/**
 * Writes an export of another forum as one of this format.
 * @param to the folder, which isn't there yet
 * @throws ExchangeError
 */
export function convertSource(to: string, options: ConversionOptions): Promise<Told> {
  const { path, course, onProgress, origin: said = null } = options
  return withSourceFiles(
    path,
    async (files) => {
      const source = options.source ?? (await recognized(files))
      onProgress?.begin('Converting', source.bytesOf(files))
      const tally = new ImportTally()
      const unknown = new Map<string, number>()
      let origin: string | null = null
      const pictures = options.pictures === true ? new FetchedPictures(options.client) : null
      const converted = await writeExchange(to, async (writer) => {
        const noting: ExchangeWriter = {
          ...writer,
          course: (line) => {
            origin = line.source.origin ?? null
            return writer.course(line)
          },
        }
        const choices = { ...CAREFUL, ...options.choices }
        const told = await source.convert({
          ...{ files, writer: noting, tally, unknown, course, origin: said, choices },
          picture: (url) => pictures?.at(url) ?? url,
        })
        if (pictures !== null) {
          onProgress?.begin('Fetching pictures', pictures.count)
          await pictures.write(writer, tally, () => onProgress?.advance(1))
        }
        return told
      })
      for (const [member, count] of unknown)
        tally.note(`${member}: a member that is not known, left out`, count)
      return { ...converted, source, tally, origin }
    },
    (bytes) => onProgress?.advance(bytes),
  )
}

async function recognized(files: Parameters<Source['recognizes']>[0]): Promise<Source> {
  for (const source of SOURCES) if (await source.recognizes(files)) return source
  throw new ExchangeError(
    `${files.title} is no export that is known: ${SOURCES.map(({ name }) => name).join(', ')} or handup`,
  )
}

/**
 * What would come of it, and who would see it.
 * @param to the folder that the export is kept in; otherwise nothing is
 */
export function trySource(options: ConversionOptions, to: string | null = null): Promise<Told> {
  const tried = async (folder: string) => {
    const told = await convertSource(folder, {
      ...options,
      pictures: to !== null && options.pictures === true,
    })
    addTally(told.tally, await tryExchange(folder))
    return told
  }
  return to === null ? withFolder(tried) : tried(to)
}

function addTally(tally: ImportTally, read: ImportTally): void {
  tally.add(read)
  tally.imported('people', read.counts.people?.imported ?? 0)
}

/**
 * Converts an export of another forum and brings it into a course.
 * @throws ExchangeError, ImportRuns
 */
export function importSource(db: Database, store: PictureStore, options: ConversionOptions) {
  const { course, onProgress, onBegun } = options
  return withFolder(async (folder) => {
    const told = await convertSource(folder, options)
    const { source, tally, origin } = told
    if (origin !== null && (options.origin ?? null) === null)
      await refuseOtherOrigin(db, course.slug, source.name, origin)
    const imported = await importExchange(db, store, {
      ...{ path: folder, course },
      ...(onProgress && { onProgress }),
      ...(onBegun && { onBegun }),
    })
    if (told.people === undefined) addTally(tally, imported.tally)
    else {
      tally.add(imported.tally)
      await tallyPeople(db, imported.runId, told.people, tally)
    }
    return { ...told, runId: imported.runId }
  })
}

const withFolder = <Result>(use: (folder: string) => Promise<Result>) =>
  inFolder('convert', (work) => use(join(work, 'export')))

/** Ids of another site mean other posts; of the same one, under another name, they would all come twice. */
async function refuseOtherOrigin(db: Database, slug: string, source: string, origin: string): Promise<void> {
  const { rows } = await sql<{ origin: string }>`
    select distinct kept.origin from imported_people as kept join courses as course on course.id = kept.course_id
    where course.slug = ${slug} and kept.source = ${source} order by 1`.execute(db)
  const known = rows.map((row) => row.origin)
  if (known.length === 0 || known.includes(origin)) return
  throw new ExchangeError(
    `the course has posts of ${known.join(', ')}: add --origin ${known[0]} to go on with it, or --origin ${origin} for another site`,
  )
}

/** What became of each user, and of authors that are none any more. */
async function tallyPeople(
  db: Database,
  runId: number,
  { users, former }: NonNullable<Converted['people']>,
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
