import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../database/connection.ts'
import type { Database } from '../../database/schema.ts'
import { refreshStatistics } from '../../forum/search/statistics.ts'
import { handup } from '../../operating/backup/testing.ts'
import { loadSample } from '../../operating/sample/sample.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { startForum, temporaryFolder } from '../bench/speed/processes.ts'
import { type Pages, pathsOf, readPages } from './all-pages.ts'
import { atLeast, type Claim, equal, type Fault, type FaultContext, none } from './fault.ts'
import { countersHold } from './kept.ts'
import { isServed, type Sent, startTraffic } from './traffic.ts'
import { aWorld } from './world.ts'

/** Views are buffered for five seconds before they are counted; in milliseconds. */
const VIEWS_WRITTEN_MS = 6000

export const backupDuringWrites: Fault = {
  name: 'backup-during-writes',
  fault: 'backup during writes, restore into an empty database',
  done: 'the sample course and another one; 6 people post into the other one while `handup backup` runs; writing stops, and a second backup is made; both restored with `handup restore` into empty databases, a forum started on each, and all its public pages read, lists, feeds, profiles and tags included',
  wanted: 'every page equal to the moment of the backup',
  isQuick: false,
  run: backUpDuringWrites,
}

async function backUpDuringWrites(context: FaultContext): Promise<Claim[]> {
  const { end } = context
  const world = await aWorld(context)
  const { db, url, forum, people, question } = world
  const sample = await loadSample(db)
  const folder = await temporaryFolder(end)
  const quiet = await pathsOf(db, sample.slug)
  const before = await readPages(await freshForum(end, db, url), quiet)
  const traffic = startTraffic(end, forum.url, people, question, { readers: 2, writers: 6, pause: 10 })
  await sleep(1000)
  const [begun, first] = [performance.now(), join(folder, 'first.backup')]
  await runHandup({ DATABASE_URL: url, DATA_DIR: folder }, 'backup', first)
  const over = performance.now()
  await sleep(500)
  const sent = await traffic.stop()
  await sleep(VIEWS_WRITTEN_MS)
  const second = join(folder, 'second.backup')
  await runHandup({ DATABASE_URL: url, DATA_DIR: folder }, 'backup', second)
  const all = await pathsOf(db, null)
  const pages = await readPages(await freshForum(end, db, url), all)
  context.say(`${all.length} pages; ${sent.length} requests while the first backup was made`)

  const during = await restored(context, first)
  const later = await restored(context, second)
  const posted = await textsIn(during.db)
  const acknowledged = sent.filter((one) => one.kind === 'write' && isServed(one))
  const missing = acknowledged.filter((one) => one.ended < begun && !posted.has(one.text))
  const early = sent.filter((one) => one.begun > over && posted.has(one.text))
  return [
    atLeast('posts while the first backup was made', between(acknowledged, begun, over), 1),
    none(
      'first backup: posts acknowledged before it that it lacks',
      missing.map(({ text }) => text),
    ),
    none(
      'first backup: posts begun after it that it has',
      early.map(({ text }) => text),
    ),
    none(
      'first backup: pages without new posts that differ (related questions apart, which go by all posts)',
      differing(apart(before), apart(await readPages(during.url, quiet))),
      quiet.length,
    ),
    await countersHold(during.db),
    none(
      'second backup: pages of the whole forum that differ',
      differing(pages, await readPages(later.url, all)),
      all.length,
    ),
    equal('second backup: posts', (await textsIn(later.db)).size, (await textsIn(db)).size),
  ]
}

const between = (sent: readonly Sent[], from: number, to: number) =>
  sent.filter(({ begun, ended }) => ended > from && begun < to).length

/** A forum on a restored backup. */
async function restored({ end, emptyDatabase }: FaultContext, file: string) {
  const url = await emptyDatabase()
  await runHandup({ DATABASE_URL: url, DATA_DIR: await temporaryFolder(end) }, 'restore', file)
  const db = connect(url)
  atEnd(end, () => db.destroy())
  return { db, url: await freshForum(end, db, url) }
}

/**
 * Related questions depend on statistics that a forum refreshes at its start and hourly.
 * @returns its URL
 */
async function freshForum(end: Ending, db: Database, url: string): Promise<string> {
  await refreshStatistics(db)
  return (await startForum(end, url)).url
}

async function runHandup(environment: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const { code, output } = await handup(environment, ...args)
  if (code !== 0) throw new Error(`handup ${args[0]}: ${output}`)
}

async function textsIn(db: Database): Promise<Set<string>> {
  return new Set((await db.selectFrom('answers').select('body').execute()).map(({ body }) => body))
}

/** Pages without their related questions. */
function apart(pages: Pages): Pages {
  const related = /<section><h2>Related questions[\s\S]*?<\/section>/
  return new Map([...pages].map(([path, page]) => [path, page.replace(related, '')]))
}

/** Paths of differing pages, each with its first difference. */
function differing(before: Pages, after: Pages): string[] {
  return [...before].flatMap(([path, page]) => {
    const other = after.get(path) ?? ''
    if (other === page) return []
    const at = [...page].findIndex((character, index) => character !== other[index])
    return [
      `${path} at “${page.slice(Math.max(0, at - 30), at + 60)}”, “${other.slice(Math.max(0, at - 30), at + 60)}”`,
    ]
  })
}
