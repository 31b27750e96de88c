import { connect } from '../../../database/connection.ts'
import { migrate } from '../../../database/migrate.ts'
import type { Database } from '../../../database/schema.ts'
import { startTestServer } from '../../../testing/server.ts'
import { row, table } from '../../../text/markdown-table.ts'
import type { Asked, Collection } from './collection.ts'
import { findData, givenCollections, madeCollections } from './collections.ts'
import { firstOf, pressInstead, whileConfirmed, withSeveralRight } from './learning.ts'
import { load } from './load.ts'
import { bm25, handup } from './rankers.ts'
import { compared, meanReciprocal, type Ranked, rankOf, readRanks, saveRanks, shareWithin } from './ranks.ts'

interface FindingOptions {
  /** Where the data are that the project does not ship; null: beside the repository. */
  readonly data: string | null
  /** A file for the rank of each query; null: none is written. */
  readonly save: string | null
  /** A file of an earlier run to compare with; null: none. */
  readonly against: string | null
  /** Only collections with this in their name. */
  readonly only: string
}

/** How well searches and similar questions find what is right, query by query. A section of Markdown. */
export async function findingSection(options: FindingOptions, say: (line: string) => void): Promise<string> {
  const path = findData(options.data)
  if (path === null) say('The given questions are not there (../shared/data): only made ones are measured.')
  const all: Ranked[] = []
  for (const collection of [...madeCollections(), ...(path === null ? [] : givenCollections(path))]) {
    if (!collection.name.includes(options.only)) continue
    say(`${collection.name}: ${collection.texts.length} questions`)
    all.push(...(await onServer((db) => measure(db, collection))))
  }
  if (options.save !== null) saveRanks(options.save, all)
  const when = `Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench -- finding\`.`
  const missing = path === null ? ['**The given questions were not there** (`../shared/data`).'] : []
  const changes = options.against === null ? [] : [changesTable(readRanks(options.against), all)]
  return ['## Finding', when, ...missing, ABOUT, ranksTable(all), ...changes].join('\n\n')
}

const ABOUT =
  'The share of queries of which the first right question is first, within three, within five, and the mean reciprocal rank of ten; beside it that of plain BM25 (k1 1.2, b 0.75, title three times, Korean in pairs of syllables). Searches as the page does them, with what it offers as better spelt; similar questions by title (of the dumps by title and body), in their order before the floor. “Shown”: what is left of them by the floor, at most five. “Nothing to find”: questions without a similar one, of which it is right to show none.'

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

async function measure(db: Database, collection: Collection): Promise<Ranked[]> {
  const { texts, searches, similar, unmatched } = collection
  const rank = handup(db, await load(db, texts))
  const plain = bm25(collection)
  const all: Ranked[] = []
  for (const [set, asked] of Object.entries(searches))
    for (const one of asked) {
      const found = await rank.searched(one)
      all.push({ ...ranked(set, one, found), plain: ranked(set, one, plain(one)).rank })
    }
  for (const [set, asked] of Object.entries(similar))
    for (const one of asked) {
      const { found, shown } = await rank.similar(one)
      all.push({ ...ranked(set, one, found), plain: ranked(set, one, plain(one)).rank })
      all.push(ranked(`${set}, shown`, one, shown))
    }
  for (const query of unmatched) {
    const { shown } = await rank.similar({ title: query, body: '', self: null })
    all.push({ set: `${collection.name}, nothing to find`, query, rank: shown.length === 0 ? 1 : null })
  }
  const several = withSeveralRight(Object.values(similar).flat())
  if (several.length === 0) return all
  const addFirsts = async (set: string) => {
    for (const one of several.map(firstOf)) all.push(ranked(set, one, (await rank.similar(one)).found))
  }
  await addFirsts('one of several')
  await whileConfirmed(db, several, rank.idOf, () =>
    addFirsts('one of several, others confirmed as its duplicates'),
  )
  // Last: it takes questions away.
  await pressInstead(db, several, texts, rank.idOf)
  await addFirsts('one of several, others answered by it while asking')
  return all
}

function ranked(set: string, { title, right, self }: Asked, found: readonly number[]): Ranked {
  const others = found.filter((index) => index !== self)
  return { set, query: title, rank: rankOf(others, right) }
}

const three = (value: number) => value.toFixed(3)

function ranksTable(all: readonly Ranked[]): string {
  const sets = [...Map.groupBy(all, ({ set }) => set)]
  return table(
    ['set', 'queries', 'first', 'within 3', 'within 5', 'MRR', 'BM25'],
    sets.map(([set, ranked]) => {
      const ranks = ranked.map(({ rank }) => rank)
      const plain = ranked.flatMap(({ plain }) => (plain === undefined ? [] : [plain]))
      const shares = [1, 3, 5].map((most) => three(shareWithin(ranks, most)))
      const beside = plain.length === 0 ? '–' : three(meanReciprocal(plain))
      return row(set, ranks.length, ...shares, three(meanReciprocal(ranks)), beside)
    }),
  )
}

/** Of the sets of both runs. */
function changesTable(before: readonly Ranked[], after: readonly Ranked[]): string {
  const earlier = Map.groupBy(before, ({ set }) => set)
  const sets = [...Map.groupBy(after, ({ set }) => set)]
  const rows = sets.flatMap(([set, ranked]) => {
    const known = earlier.get(set) ?? []
    if (known.length !== ranked.length) return []
    const [was, is] = [known, ranked].map((all) => all.map(({ rank }) => rank))
    const { better, betterBy, worse, worseBy, change, least, most } = compared(was ?? [], is ?? [])
    const verdict = most < 0 ? '**worse**' : least > 0 ? 'better' : ''
    const by = [`${better} by ${betterBy}`, `${worse} by ${worseBy}`]
    return [row(set, ranked.length, ...by, three(change), `${three(least)} to ${three(most)}`, verdict)]
  })
  return table(['set', 'queries', 'better', 'worse', 'change of MRR', '95 %', ''], rows)
}
