import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import { parseQuery } from '../search/query.ts'
import { search } from '../search/search.ts'
import { row, table } from '../text/markdown-table.ts'
import { plainText } from '../text/plain.ts'
import { isStopWord } from '../text/stop-words.ts'
import { baselineSearch } from './baseline.ts'
import { type Place, placeOf, randomNumbers, recallOf, three } from './recall-measures.ts'

interface Item {
  readonly id: number
  readonly course_id: number
  readonly slug: string
  readonly title: string
  readonly body_html: string
  readonly accepted_html: string | null
}

const SEED = 20_261_121

/** Each imported question looked for by the 4 rarest words of its title, and by 5 random words of its accepted answer. */
export async function knownItems(db: Database, say: (line: string) => void): Promise<string> {
  const items = await findItems(db)
  const random = randomNumbers(SEED)
  const frequency = wordFrequency(items)
  const lines: string[] = []
  for (const slug of new Set(items.map((item) => item.slug))) {
    const own = items.filter((item) => item.slug === slug)
    const byTitle = own.map((item) => ({ item, words: rarest(wordsOf(item.title), frequency, 4) }))
    const byAnswer = own.flatMap((item) => {
      const words = item.accepted_html === null ? [] : wordsOf(plainText(item.accepted_html))
      return words.length < 5 ? [] : [{ item, words: sample(words, 5, random) }]
    })
    lines.push(...(await measure(db, slug, '4 rarest words of the title', byTitle)))
    lines.push(...(await measure(db, slug, '5 random words of the accepted answer', byAnswer)))
    say(`known items: ${slug}, ${own.length} questions`)
  }
  return table(
    ['dump', 'query', 'queries', 'MRR@10', 'recall@10', 'baseline MRR@10', 'baseline recall@10'],
    lines,
  )
}

async function measure(
  db: Database,
  slug: string,
  name: string,
  queries: readonly { item: Item; words: readonly string[] }[],
) {
  const ours: Place[] = []
  const plain: Place[] = []
  for (const { item, words } of queries) {
    const found = await search(db, null, parseQuery(`${words.join(' ')} course:${slug} `))
    ours.push(
      placeOf(
        found.hits.map((hit) => hit.id),
        item.id,
      ),
    )
    const baseline = await baselineSearch(db, words.join(' '), 'all', {
      courseId: item.course_id,
      exceptId: null,
    })
    plain.push(placeOf(baseline, item.id))
  }
  const [own, base] = [recallOf(ours), recallOf(plain)]
  return [
    row(
      slug,
      name,
      own.queries,
      three(own.mrr10),
      three(own.recall10),
      three(base.mrr10),
      three(base.recall10),
    ),
  ]
}

async function findItems(db: Database): Promise<Item[]> {
  const { rows } = await sql<Item>`
    select q.id, q.course_id, course.slug, q.title, q.body_html,
      (select body_html from answers where answers.id = q.accepted_answer_id) as accepted_html
    from questions as q join courses as course on course.id = q.course_id
    where q.is_imported and q.deleted_at is null order by q.id`.execute(db)
  return rows
}

function wordFrequency(items: readonly Item[]): Map<string, number> {
  const frequency = new Map<string, number>()
  for (const item of items) {
    for (const word of wordsOf(`${item.title} ${plainText(item.body_html)}`)) {
      frequency.set(word, (frequency.get(word) ?? 0) + 1)
    }
  }
  return frequency
}

/** Different words of two letters and more, without the commonest, which nobody would type. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []
  return [...new Set(words)].filter((word) => !isStopWord(word))
}

function rarest(words: readonly string[], frequency: ReadonlyMap<string, number>, size: number): string[] {
  return words
    .toSorted((one, other) => (frequency.get(one) ?? 0) - (frequency.get(other) ?? 0))
    .slice(0, size)
}

function sample(words: readonly string[], size: number, random: () => number): string[] {
  const left = [...words]
  return Array.from({ length: size }, () => left.splice(Math.floor(random() * left.length), 1)[0] ?? '')
}
