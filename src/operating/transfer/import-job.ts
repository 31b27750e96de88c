import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { sql } from 'kysely'
import { unhurried } from '../../database/connection.ts'
import type { Database } from '../../database/schema.ts'
import type { FileStore } from '../../forum/pictures/store.ts'
import type { Kind } from '../../jobs/kind.ts'
import type { Job } from '../../jobs/table.ts'
import { importExchange, tryExchange } from '../exchange/course-import.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { ImportRuns, undoRun } from '../exchange/import-run.ts'
import { countsOf, type ImportTally } from '../exchange/import-tally.ts'
import { cleanLine } from '../foreign/clean-text.ts'
import { inFolder } from '../foreign/temporary-folder.ts'
import { importSource, trySource } from '../imports/foreign-import.ts'
import { CAREFUL, type Choices, type Converted } from '../imports/source.ts'
import { sourceNamed } from '../imports/sources.ts'
import { type BroughtImport, IMPORTS, moved, removeFiles, runOfImport } from './brought-import.ts'

/** Somebody waits for it: after some minutes they are told that it failed. */
const MOST_TRIES = 5

/** Tries what was brought, or imports it. One that broke off goes on where it was, in any process. */
export function importKind(db: Database, store: FileStore): Kind {
  return {
    name: IMPORTS,
    concurrency: 1,
    batch: 1,
    // So long after a process died, another goes on. One that takes longer is protected by its run (exchange/import-run.ts).
    timeout: 5 * 60_000,
    async run(jobs) {
      for (const job of jobs) await goOn(db, store, job)
    },
  }
}

interface Brought extends BroughtImport {
  readonly slug: string
  readonly title: string
}

async function goOn(db: Database, store: FileStore, { key, tries }: Job): Promise<void> {
  const brought = await db
    .selectFrom('course_imports as brought')
    .innerJoin('courses as course', 'course.id', 'brought.course_id')
    .selectAll('brought')
    .select(['course.slug', 'course.title'])
    .where('brought.id', '=', Number(key))
    .executeTakeFirst()
  if (brought === undefined) return
  const { id, state } = brought
  try {
    if (state === 'trying') await withUpload(store, brought, (path) => tryOut(db, brought, path))
    if (state === 'importing') await withUpload(store, brought, (path) => bringIn(db, store, brought, path))
  } catch (error) {
    const isTold = error instanceof ExchangeError
    // Another import into the course is waited for.
    if (error instanceof ImportRuns || (!isTold && tries < MOST_TRIES)) throw error
    // What it quotes of the file may be anything.
    const problem = isTold
      ? cleanLine(error.message).slice(0, 2000).toWellFormed()
      : 'it failed for a reason that the log has'
    await moved(db, id, state, { state: 'failed', problem, ended_at: sql<Date>`now()` })
    await undoUnfinished(db, id)
    if (!isTold) throw error
  } finally {
    await removeFiles(db, store, id)
  }
}

/** What a failed import brought, which no one saw, would keep others from the course. */
async function undoUnfinished(db: Database, id: number): Promise<void> {
  const run = await runOfImport(db, id)
    .select('run.id')
    .where('brought.state', '=', 'failed')
    .where('run.state', '=', 'reading')
    .executeTakeFirst()
  if (run !== undefined) await undoRun(db, run.id)
}

/** Has the file in a folder of this machine for a while, by the name that it had there: some sources go by it. */
function withUpload(
  store: FileStore,
  { file, file_name: name }: BroughtImport,
  work: (path: string) => Promise<void>,
): Promise<void> {
  return inFolder('brought', async (folder) => {
    const content = file === null ? null : await store.stream(file)
    if (content === null) throw new ExchangeError('the file is gone')
    const path = join(folder, name.replace(/[/\\\0]|^\.+/g, '_').slice(-100))
    await pipeline(content, createWriteStream(path, { mode: 0o600 }))
    await work(path).catch((error: unknown) => {
      throw error instanceof ExchangeError ? withoutFolder(error, folder) : error
    })
  })
}

/** Where the forum has it for a moment tells nobody anything. */
function withoutFolder(error: ExchangeError, folder: string): ExchangeError {
  return new ExchangeError(error.message.replaceAll(`${folder}/`, ''), { cause: error })
}

async function tryOut(db: Database, brought: Brought, path: string): Promise<void> {
  const { id, source: said } = brought
  const isExchange = await isOwn(brought, path)
  const tried = isExchange ? null : await trySource(conversionOf(db, brought, path))
  const source = said ?? tried?.source.name ?? 'handup'
  await moved(db, id, 'trying', {
    ...{ state: 'tried', source },
    ...toldOf(tried ?? { tally: await tryExchange(path) }),
  })
}

async function bringIn(db: Database, store: FileStore, brought: Brought, path: string): Promise<void> {
  const { id, slug, run_id: begun } = brought
  const onBegun = async (runId: number) => void (await moved(db, id, 'importing', { run_id: runId }))
  const end = (told: ReturnType<typeof toldOf>) =>
    moved(db, id, 'importing', { state: 'shown', ...told, ended_at: sql<Date>`now()` })
  // A process died after the last step, before it was noted here: the run isn't done again.
  if (begun !== null && (await isShown(db, begun)))
    return void (await end({ told: JSON.stringify(brought.told) }))
  const { anonymous, groups } = brought
  const choices: Choices = { anonymous: anonymous ?? CAREFUL.anonymous, groups: groups ?? CAREFUL.groups }
  const conversion = { ...conversionOf(db, brought, path), choices, onBegun }
  const exchange = { path, course: { slug }, onProgress: conversion.onProgress, onBegun }
  const isExchange = await isOwn(brought, path)
  const told = await unhurried(
    db,
    async (own): Promise<Told> =>
      isExchange ? importExchange(own, store, exchange) : importSource(own, store, conversion),
  )
  await end(toldOf(told))
}

const conversionOf = (db: Database, { id, slug, title, source, with_pictures }: Brought, path: string) => ({
  path,
  pictures: with_pictures,
  source: source === null ? null : sourceNamed(source),
  course: { slug, title },
  onProgress: progressOf(db, id),
})

/** How the file begins that `handup export` writes: a frame of Zstandard (RFC 8878, 3.1.1). */
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

async function isOwn({ source }: BroughtImport, path: string): Promise<boolean> {
  if (source !== null) return source === 'handup'
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(ZSTD.length), 0, ZSTD.length, 0)
    return buffer.equals(ZSTD)
  } finally {
    await file.close()
  }
}

async function isShown(db: Database, runId: number): Promise<boolean> {
  const run = await db.selectFrom('import_runs').select('state').where('id', '=', runId).executeTakeFirst()
  return run !== undefined && run.state !== 'reading'
}

type Told = { readonly tally: ImportTally } & Pick<Converted, 'asks'>

/** What is kept of what a dry run or an import told. */
export const toldOf = ({ tally, asks = [] }: Told) => ({
  told: JSON.stringify({ ...countsOf(tally), asks }),
})

/** Milliseconds between two writes of how far it is. */
const NOTED_EVERY = 1000

/** Notes how far an import is, now and then: nothing waits for that, and nothing fails by it. */
function progressOf(db: Database, id: number) {
  let [step, total, done, notedAt] = [0, 0, 0, 0]
  const note = () => {
    notedAt = performance.now()
    const values = { step, total, done: Math.min(done, total) }
    db.updateTable('course_imports')
      .set(values)
      .where('id', '=', id)
      .execute()
      .catch(() => undefined)
  }
  return {
    begin(_label: string, amount: number) {
      step += 1
      total = Math.min(amount, 2 ** 31 - 1)
      done = 0
      note()
    },
    advance(amount: number) {
      done += amount
      if (performance.now() - notedAt > NOTED_EVERY) note()
    },
    // The job is done again later, and holds up no other meanwhile.
    wait() {
      throw new ImportRuns('another import into the course is running')
    },
  }
}
