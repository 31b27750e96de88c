import { type RawBuilder, sql } from 'kysely'
import type { Cursor } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import { PAGE_SIZE, SORTS, type Sort } from '../../forum/reading/list.ts'
import { codeWord, inventedWord } from '../generate/invented-words.ts'
import { NOUNS } from '../generate/korean-words.ts'
import { Random } from '../generate/random.ts'
import { listOf } from '../generate/words.ts'

/** Parameters of queries: ids, words and cursors of one forum, sampled in the same way whatever its size. */
export interface Samples {
  readonly questions: readonly number[]
  readonly titles: readonly string[]
  readonly courses: readonly number[]
  readonly lectures: readonly number[]
  readonly authors: readonly number[]
  readonly commonTags: readonly string[]
  /** The rarest that fill a page, so that pages of all sizes are comparable. */
  readonly rareTags: readonly string[]
  /** The cursor of page 500, or of the last page of a smaller forum, for each sort. */
  readonly deep: Readonly<Record<Sort, readonly Cursor[]>>
  readonly rareWords: readonly string[]
  readonly middleWords: readonly string[]
  readonly commonWords: readonly string[]
  readonly koreanWords: readonly string[]
  readonly identifiers: readonly string[]
  readonly unknownWords: readonly string[]
}

const SAMPLE_SIZE = 250
const DEEP_PAGE = 500
const PARTICLES = ['', '을', '이', '에서', '으로']

export async function drawSamples(db: Database): Promise<Samples> {
  const random = new Random(20)
  const many = <Item>(make: () => Item) => Array.from({ length: SAMPLE_SIZE }, make)
  const nouns = listOf(NOUNS)
  const sorts = await Promise.all(SORTS.map(async (sort) => [sort, await deepPlaces(db, sort)] as const))
  return {
    questions: await column<number>(
      db,
      sql`select id as value from questions where id % (select greatest(count(*) / ${SAMPLE_SIZE}, 1) from questions) = 0 limit ${SAMPLE_SIZE}`,
    ),
    titles: await column<string>(
      db,
      sql`select title as value from questions where id % (select greatest(count(*) / ${SAMPLE_SIZE}, 1) from questions) = 0 limit ${SAMPLE_SIZE}`,
    ),
    courses: await column<number>(db, sql`select id as value from courses where questions_count > 0`),
    lectures: await column<number>(
      db,
      sql`select id as value from lectures where questions_count > 0 order by md5(id::text) limit ${SAMPLE_SIZE}`,
    ),
    authors: await column<number>(
      db,
      sql`select id as value from people where questions_count > 0 order by questions_count desc, id limit ${SAMPLE_SIZE}`,
    ),
    commonTags: await column<string>(db, tagsBy(sql`desc`, 20)),
    rareTags: await column<string>(db, tagsBy(sql`asc`, 20)),
    deep: Object.fromEntries(sorts) as Record<Sort, Cursor[]>,
    rareWords: await words(db, sql`documents_count between 2 and 9 order by md5(term)`),
    middleWords: await words(db, sql`documents_count between total / 200 and total / 50 order by md5(term)`),
    commonWords: await words(db, sql`documents_count > total / 10 order by documents_count desc`),
    koreanWords: many(() => random.pick(nouns) + random.pick(PARTICLES)),
    identifiers: many(() => codeWord(random.below(5000))),
    unknownWords: many(() => `${inventedWord(random.below(1e9))}${inventedWord(random.below(1e9))}q`),
  }
}

async function column<Value>(db: Database, query: RawBuilder<unknown>): Promise<Value[]> {
  const { rows } = await sql<{ value: Value }>`${query}`.execute(db)
  return rows.map((row) => row.value)
}

function tagsBy(direction: RawBuilder<unknown>, count: number) {
  return sql`
    select name as value from course_tags join tags on tags.id = tag_id where questions_count > 0
    group by name having sum(questions_count) >= ${PAGE_SIZE}
    order by sum(questions_count) ${direction}, name limit ${count}`
}

/** Words as in search_terms: stems, which match their words. */
function words(db: Database, condition: RawBuilder<unknown>): Promise<string[]> {
  return column<string>(
    db,
    sql`
      select term as value from search_terms, (select documents_count as total from search_terms where term = '') as forum
      where term ~ '^[a-z]{4,12}$' and ${condition} limit ${SAMPLE_SIZE}`,
  )
}

async function deepPlaces(db: Database, sort: Sort): Promise<Cursor[]> {
  const values = {
    newest: 'written_at',
    active: 'active_at',
    votes: 'votes_count',
    views: 'views_count',
  } as const
  const value = sql.ref(values[sort])
  const { rows } = await sql<{ value: Date | number; id: number }>`
    select ${value} as value, id from (
      select ${value}, id, row_number() over (order by ${value} desc, id desc) as place, count(*) over () as total
      from questions where is_shown) as q
    where place between least(${DEEP_PAGE * PAGE_SIZE}, total - 100) - ${SAMPLE_SIZE} and least(${DEEP_PAGE * PAGE_SIZE}, total - 100)`.execute(
    db,
  )
  return rows.map((row) => ({ value: Number(row.value), id: row.id }))
}
