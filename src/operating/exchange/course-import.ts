import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { DEFAULT_CATEGORY } from '../../forum/courses/commands.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'
import { refreshOldStatistics } from '../../forum/search/statistics.ts'
import { cleanLine, cut } from '../foreign/clean-text.ts'
import { type ExchangeFolder, type Numbered, withExchange } from './folder-reader.ts'
import type { Line, LineKind } from './format.ts'
import { type Begun, beginRun, type ImportRun, ImportRuns, inBatch, releaseRun } from './import-run.ts'
import { ImportTally } from './import-tally.ts'
import { type Importing, importPosts } from './post-batch.ts'
import { importVersions, linkQuestions, linkTexts } from './post-links.ts'
import { showRun } from './shown-run.ts'
import { finishTakingBack } from './taking-back.ts'

interface ImportOptions {
  /** The title of the course of this forum that it copies. */
  readonly copiedFrom?: string
  /** A folder, or a file that ends in `.tar.zst`. */
  readonly path: string
  /** Of a course that isn't there: its title there, unless said. */
  readonly course: { readonly slug: string; readonly title?: string }
  /** What the ids are unique in, if the export doesn't say it or says another. */
  readonly origin?: string
  readonly onProgress?: Progress
  /** Told of the run before anything is read. */
  readonly onBegun?: (runId: number) => Promise<void>
}

export interface Progress {
  begin(label: string, amount: number): void
  advance(amount: number): void
  /** Another import into the course is running: this one begins after it. Told before each look. */
  wait?(): Promise<void> | void
}

/**
 * Brings an export into a course, which is made when there is none. Nothing of it is seen before the last step; a run that breaks off goes
 * on with the next call. What came with an earlier run stays as it is now. Another import into the course ends first.
 * @throws ExchangeError with file, line and reason, before anything is written; ImportRuns
 */
export function importExchange(
  db: Database,
  store: PictureStore,
  options: ImportOptions,
): Promise<{ readonly tally: ImportTally; readonly runId: number }> {
  const { path, course, origin, onProgress, onBegun } = options
  return withExchange(path, async (folder) => {
    const begun = {
      ...{
        copiedFrom: options.copiedFrom ?? null,
        slug: course.slug,
        title: course.title ?? (cut(cleanLine(folder.course.title), 150) || course.slug),
        course: folder.course,
        digest: folder.digest,
      },
      origin: origin ?? folder.course.source.origin ?? course.slug,
    }
    const run = await inTurn(db, begun, onProgress)
    try {
      await onBegun?.(run.id)
      const importing = await importingOf(db, run, folder, store)
      await readAll(db, importing, onProgress)
      onProgress?.begin('Indexing', folder.counts.questions)
      await showRun(db, importing, (count) => onProgress?.advance(count))
    } finally {
      await releaseRun(db, run)
    }
    await refreshOldStatistics(db)
    return { tally: run.tally, runId: run.id }
  })
}

/** Between looks whether another import has ended. */
const PAUSE_MS = 500

/** Begins once no other import into the course is running: that of a process that died is, for as long as its lease. */
async function inTurn(db: Database, begun: Begun, onProgress: Progress | undefined): Promise<ImportRun> {
  for (;;) {
    await finishTakingBack(db, begun.slug)
    const run = await beginRun(db, begun).catch((error: unknown) => {
      if (error instanceof ImportRuns) return null
      throw error
    })
    if (run !== null) return run
    await onProgress?.wait?.()
    await sleep(PAUSE_MS)
  }
}

/** What would come of an export, and who would see it. Nothing is written. */
export function tryExchange(path: string): Promise<ImportTally> {
  return withExchange(path, async (folder) => {
    const tally = new ImportTally()
    for (const [kind, count] of Object.entries(folder.counts)) tally.imported(kind, count)
    // What not all may read hides what is below it.
    const closed = { questions: new Set<string>(), answers: new Set<string>() }
    for await (const { line } of folder.lines('questions')) {
      if (line.visibility !== 'course') tally.note('questions for their asker and staff alone')
      if (!note(tally, line, line.visibility === 'course')) closed.questions.add(line.id)
    }
    for await (const { line } of folder.lines('answers'))
      if (!note(tally, line, !closed.questions.has(line.question))) closed.answers.add(line.id)
    for await (const { line } of folder.lines('replies'))
      note(
        tally,
        line,
        !closed.questions.has(line.question) && (line.answer === null || !closed.answers.has(line.answer)),
      )
    for (const [member, count] of folder.unknown)
      tally.note(`${member}: a member that is not known, left out`, count)
    return tally
  })
}

/** @returns whether all who read the course read it */
function note(
  tally: ImportTally,
  { state, author }: Line<'questions' | 'answers' | 'replies'>,
  isBelowOpen: boolean,
): boolean {
  const isOpen = isBelowOpen && state === 'shown'
  if (isOpen) tally.note('posts that everyone in the course can read')
  if (state === 'held(source)') tally.note('posts that wait for review')
  if (state === 'hidden') tally.note('posts that stay hidden')
  if ('anonymous' in author)
    tally.note(
      author.anonymous === 'everyone'
        ? 'posts of people whom no one knows'
        : 'posts whose authors staff alone know',
    )
  if ('former' in author) tally.note('posts of accounts that are gone')
  return isOpen
}

async function importingOf(
  db: Database,
  run: ImportRun,
  folder: ExchangeFolder,
  store: PictureStore,
): Promise<Importing> {
  const { id: categoryId } = await db
    .selectFrom('categories')
    .select('id')
    .where('course_id', '=', run.courseId)
    .orderBy(sql`slug <> ${DEFAULT_CATEGORY.slug}`)
    .orderBy('position')
    .limit(1)
    .executeTakeFirstOrThrow()
  return {
    run,
    folder,
    store,
    categoryId,
    people: await byId(folder, 'people'),
    files: await byId(folder, 'files'),
  }
}

async function byId<Kind extends 'people' | 'files'>(
  folder: ExchangeFolder,
  kind: Kind,
): Promise<Map<string, Line<Kind>>> {
  const found = new Map<string, Line<Kind>>()
  for await (const { line } of folder.lines(kind)) found.set(line.id, line)
  return found
}

/** Lines of one transaction. */
const BATCH = 1000

type Work<Kind extends LineKind> = (
  write: Write,
  importing: Importing,
  batch: readonly Numbered<Kind>[],
) => Promise<void>

/** A step of the reading: a file, in batches. */
function step<Kind extends LineKind>(name: string, kind: Kind, work: Work<Kind>) {
  return {
    name,
    kind,
    async read(db: Database, importing: Importing, after: number, advance: (lines: number) => void) {
      const { folder, run } = importing
      let batch: Numbered<Kind>[] = []
      const flush = async () => {
        const some = batch
        const line = some.at(-1)?.number
        if (line === undefined) return
        batch = []
        await inBatch(db, run, { file: name, line }, (write) => work(write, importing, some))
        advance(some.length)
      }
      for await (const numbered of folder.lines(kind, after)) {
        batch.push(numbered)
        if (batch.length === BATCH) await flush()
      }
      await flush()
    },
  }
}

/** Each file of posts, and again for what leads from them to others, in this order. */
const STEPS = [
  step('questions', 'questions', (write, on, batch) => importPosts(write, on, 'questions', batch)),
  step('answers', 'answers', (write, on, batch) => importPosts(write, on, 'answers', batch)),
  step('replies', 'replies', (write, on, batch) => importPosts(write, on, 'replies', batch)),
  step('versions', 'versions', importVersions),
  step('questions again', 'questions', async (write, on, batch) => {
    await linkQuestions(write, on, batch)
    await linkTexts(write, on, 'questions', batch)
  }),
  step('answers again', 'answers', (write, on, batch) => linkTexts(write, on, 'answers', batch)),
  step('replies again', 'replies', (write, on, batch) => linkTexts(write, on, 'replies', batch)),
]

/** From where the run broke off. */
async function readAll(
  db: Database,
  importing: Importing,
  onProgress: ImportOptions['onProgress'],
): Promise<void> {
  const { run, folder } = importing
  const begun = STEPS.findIndex(({ name }) => name === run.file)
  const left = STEPS.slice(Math.max(begun, 0))
  onProgress?.begin(
    'Importing',
    left.reduce((lines, { kind }) => lines + folder.counts[kind], 0),
  )
  for (const { name, read } of left)
    await read(db, importing, name === run.file ? run.line : 0, (lines) => onProgress?.advance(lines))
}
