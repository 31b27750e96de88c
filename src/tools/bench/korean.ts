import type { Database } from '../../database/schema.ts'
import { writeQuestion } from '../../forum/questions/commands.ts'
import { parseQuery } from '../../forum/search/query.ts'
import { search } from '../../forum/search/search.ts'
import { refreshStatistics } from '../../forum/search/statistics.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { row, table } from '../../text/markdown-table.ts'
import { baselineSearch, makeBaseline } from './baseline.ts'
import { benchCourse } from './bench-course.ts'
import { type JudgedQuestion, KOREAN_SET } from './korean-set.ts'
import { BESIDE_THEM, KOREAN_WORDINGS } from './korean-wordings.ts'
import { rankOf, recallOf, three } from './recall-measures.ts'

/** What is searched for: words of the questions themselves, or what people type who remember other words, among other questions. */
const SETS = [
  { name: 'words of the question', slug: 'korean-set', set: KOREAN_SET },
  { name: 'other words, held out', slug: 'korean-wordings', set: [...KOREAN_WORDINGS, ...BESIDE_THEM] },
]

/** Runs each judged query over its questions, in a course of its own. */
export async function korean(db: Database, say: (line: string) => void): Promise<string> {
  const rows: string[] = []
  const missed: string[] = []
  for (const one of SETS) {
    const measured = await measureSet(db, one)
    say(`Korean, ${one.name}: ${measured.own.queries} queries`)
    const { own, base } = measured
    const cells = [own.first, own.mrr10, own.recall5, own.recall10, base.recall10].map(three)
    rows.push(row(one.name, own.queries, ...cells))
    missed.push(...measured.missed)
  }
  const result = table(
    ['searched for', 'queries', 'first', 'MRR@10', 'recall@5', 'recall@10', 'baseline recall@10'],
    rows,
  )
  return missed.length === 0
    ? result
    : `${result}\n\nMissed: ${missed.map((query) => `\`${query}\``).join(', ')}.`
}

async function measureSet(db: Database, { slug, set }: (typeof SETS)[number]) {
  const { courseId, ids } = await loadSet(db, slug, set)
  await refreshStatistics(db)
  await makeBaseline(db)
  const judged = set.flatMap(({ queries }, index) =>
    queries.map((query) => ({ query, right: ids[index] ?? 0 })),
  )
  const ours: (number | null)[] = []
  const plain: (number | null)[] = []
  const missed: string[] = []
  for (const { query, right } of judged) {
    const { hits } = await search(db, null, parseQuery(`${query} course:${slug} `))
    const place = rankOf(
      hits.map((hit) => hit.id),
      right,
    )
    ours.push(place)
    if (place === null || place > 10) missed.push(query)
    plain.push(rankOf(await baselineSearch(db, courseId, query), right))
  }
  return { own: recallOf(ours), base: recallOf(plain), missed }
}

async function loadSet(
  db: Database,
  slug: string,
  set: readonly JudgedQuestion[],
): Promise<{ courseId: number; ids: number[] }> {
  return db.transaction().execute(async (write) => {
    const course = await benchCourse(write, { slug, title: '한국어 질문', language: 'ko' })
    const ids: number[] = []
    for (const { title, body: source } of set) {
      const [body] = await prepareMarkdown([source])
      ids.push(await writeQuestion(write, { ...course, lectureId: null, tags: [], title, body }))
    }
    return { courseId: course.courseId, ids }
  })
}
