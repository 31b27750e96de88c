import type { Database } from '../../database/schema.ts'
import { writeQuestion } from '../../forum/questions/commands.ts'
import { parseQuery } from '../../forum/search/query.ts'
import { search } from '../../forum/search/search.ts'
import { refreshStatistics } from '../../forum/search/statistics.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { row, table } from '../../text/markdown-table.ts'
import { baselineSearch, makeBaseline } from './baseline.ts'
import { benchCourse } from './bench-course.ts'
import { KOREAN_SET } from './korean-set.ts'
import { rankOf, recallOf, three } from './recall-measures.ts'

const SLUG = 'korean-set'

/** Runs each judged query of korean-set.ts over its questions. */
export async function korean(db: Database, say: (line: string) => void): Promise<string> {
  const { courseId, ids } = await loadSet(db)
  await refreshStatistics(db)
  await makeBaseline(db)
  const judged = KOREAN_SET.flatMap(({ queries }, index) =>
    queries.map((query) => ({ query, right: ids[index] ?? 0 })),
  )
  const ours: (number | null)[] = []
  const plain: (number | null)[] = []
  const missed: string[] = []
  for (const { query, right } of judged) {
    const { hits } = await search(db, null, parseQuery(`${query} course:${SLUG} `))
    const place = rankOf(
      hits.map((hit) => hit.id),
      right,
    )
    ours.push(place)
    if (place === null || place > 10) missed.push(query)
    plain.push(rankOf(await baselineSearch(db, courseId, query), right))
  }
  say(`Korean: ${judged.length} queries`)
  const [own, base] = [recallOf(ours), recallOf(plain)]
  const result = table(
    ['queries', 'MRR@10', 'recall@5', 'recall@10', 'baseline recall@10'],
    [row(own.queries, three(own.mrr10), three(own.recall5), three(own.recall10), three(base.recall10))],
  )
  return missed.length === 0
    ? result
    : `${result}\n\nMissed: ${missed.map((query) => `\`${query}\``).join(', ')}.`
}

async function loadSet(db: Database): Promise<{ courseId: number; ids: number[] }> {
  return db.transaction().execute(async (write) => {
    const course = await benchCourse(write, { slug: SLUG, title: '한국어 질문', language: 'ko' })
    const ids: number[] = []
    for (const { title, body: source } of KOREAN_SET) {
      const [body] = await prepareMarkdown([source])
      ids.push(await writeQuestion(write, { ...course, lectureId: null, tags: [], title, body }))
    }
    return { courseId: course.courseId, ids }
  })
}
