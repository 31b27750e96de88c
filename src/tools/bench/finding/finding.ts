import { connect } from '../../../database/connection.ts'
import { migrate } from '../../../database/migrate.ts'
import type { Database } from '../../../database/schema.ts'
import { worthShowing } from '../../../forum/search/ranking.ts'
import { rankSimilar } from '../../../forum/search/similar/similar.ts'
import { startTestServer } from '../../../testing/server.ts'
import { row, table } from '../../../text/markdown-table.ts'
import type { Rank } from '../recall-measures.ts'
import { bm25, plainRankers, type Ranker } from './baselines.ts'
import type { Asked, DataSet } from './data-set.ts'
import { findData, judgedSets, madePairs } from './data-sets.ts'
import { measureConfirmed, measurePressed } from './learning.ts'
import { loadSet } from './load-set.ts'
import { cellsOf, halfOf, withInterval } from './measures.ts'

/** Ranks that are measured: mean reciprocal rank is of ten. */
const MOST = 10
const HALVES = ['first', 'second'] as const

/**
 * How well similar questions find the one that asks the same, beside plain rankings in the same run. A section of Markdown.
 * @param given where the judged questions are; null: beside the repository
 */
export async function findingSection(given: string | null, say: (line: string) => void): Promise<string> {
  const path = findData(given)
  if (path === null)
    say('The judged questions are not there (../shared/data/duplicates): only the made pairs are measured.')
  const parts: string[] = []
  for (const set of [...(path === null ? [] : judgedSets(path)), madePairs()]) {
    say(`${set.name}: ${set.asked.length} questions among ${set.collection.length}`)
    parts.push(await onServer((db) => measureSet(db, set)))
  }
  const missing =
    path === null
      ? [
          '**The judged questions were not there** (`../shared/data/duplicates`): only the made pairs are measured.',
        ]
      : []
  const when = `Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench -- finding\`.`
  return ['## Similar questions', when, ABOUT, ...missing, ...parts].join('\n\n')
}

const ABOUT =
  'What the title alone finds (of the dumps: title and body), before the floor: the right one first, within three, within five, and mean reciprocal rank of ten, ± half of the interval of 95 %. The halves are chosen by a hash of the title; settings were chosen with both in view, so neither is held out, except that the worth of likeness in English titles and their floor were chosen by the first half alone. Beside it: `ts_rank_cd` of any word (`english`), `pg_trgm` of titles, and BM25 (k1 1.2, b 0.75, title three times, Korean in pairs of syllables).'

/** A database of its own for each collection: what is rare in one is common in another. */
async function onServer<Result>(work: (db: Database) => Promise<Result>): Promise<Result> {
  const server = await startTestServer()
  const db = connect(server.url, { statementTimeout: 0 })
  try {
    await migrate(db)
    return await work(db)
  } finally {
    await db.destroy()
    await server.stop()
  }
}

async function measureSet(db: Database, set: DataSet): Promise<string> {
  const { courseId, places } = await loadSet(db, set.collection)
  const idOf = new Map([...places].map(([id, index]) => [index, id]))
  const courses = { ids: [courseId], isAll: true, share: 1 }
  const near = (asked: Pick<Asked, 'title' | 'body' | 'self'>) =>
    rankSimilar(
      db,
      { ...asked, tags: [], courseId, exceptId: asked.self === null ? null : (idOf.get(asked.self) ?? null) },
      courses,
      MOST,
    )
  const handup: Ranker = async (asked) => (await near(asked)).questions.map(({ id }) => places.get(id) ?? -1)
  const folded: Ranker = async (asked) =>
    (await near(asked)).questions.map(({ id, duplicateOf }) => places.get(duplicateOf ?? id) ?? -1)
  const rankers: [string, Ranker][] = [
    ...Object.entries(await plainRankers(db, set.collection)),
    ['BM25', bm25(set.collection)],
    ['**Handup**', handup],
  ]
  const rows: string[] = []
  for (const [name, rank] of rankers) {
    const ranks = new Map<Asked, Rank>()
    for (const asked of set.asked) ranks.set(asked, rightRank(await rank(asked), asked))
    for (const half of HALVES) {
      const own = [...ranks].filter(([asked]) => halfOf(asked.title) === half).map(([, found]) => found)
      if (own.length > 0) rows.push(row(name, half, own.length, ...cellsOf(own)))
    }
  }
  const head = ['ranking', 'half', 'questions', 'first', 'within 3', 'within 5', 'MRR']
  return [
    `### ${set.name}: ${set.asked.length} among ${set.collection.length}`,
    table(head, rows),
    await measureConfirmed(db, set, folded, idOf),
    await measureFloor(set, async (asked) => {
      const { questions, floor } = await near(asked)
      return worthShowing(questions, floor).map(({ id }) => places.get(id) ?? -1)
    }),
    // Last: it takes questions away.
    await measurePressed(db, set, folded, idOf),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** What the page shows: at most five, none rather than nonsense. */
async function measureFloor(set: DataSet, shown: Ranker): Promise<string> {
  const kept: number[] = []
  for (const asked of set.asked) {
    const found = (await shown(asked)).slice(0, 5)
    kept.push(asked.right.some((one) => found.includes(one)) ? 1 : 0)
  }
  const empty: number[] = []
  for (const title of set.unmatched)
    empty.push((await shown({ title, body: '', self: null })).length === 0 ? 1 : 0)
  const none =
    empty.length === 0
      ? ''
      : ` Nothing is shown for ${withInterval(empty)} of ${empty.length} questions without a duplicate.`
  return `Shown: the right one for ${withInterval(kept)}.${none}`
}

function rightRank(found: readonly number[], { right, self }: Asked): Rank {
  const place = found.filter((index) => index !== self).findIndex((index) => right.includes(index))
  return place < 0 ? null : place + 1
}
