import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { Asked, Collection } from './collection.ts'
import { knownByAnswers, knownByTitles } from './known-items.ts'
import { type JudgedQuestion, KOREAN_SET } from './korean-set.ts'
import { BESIDE_THEM, KOREAN_WORDINGS } from './korean-wordings.ts'
import { readDump } from './stack-exchange.ts'

const FROZEN = join(import.meta.dirname, 'frozen')

/** Where the data are that the project does not ship; null: nowhere. @param given a path; null: beside the repository */
export function findData(given: string | null): string | null {
  const beside = ['../shared/data', '../../shared/data'].map((path) =>
    resolve(import.meta.dirname, '../../../..', path),
  )
  return (
    (given === null ? beside : [resolve(given)]).find((path) => existsSync(join(path, 'duplicates'))) ?? null
  )
}

/** What comes with the project. */
export function madeCollections(): Collection[] {
  const pairs = jsonLines(
    join(FROZEN, 'korean-pairs.jsonl'),
    z.object({ title: z.string(), body: z.string(), query: z.string() }),
  )
  const missed = jsonLines(join(FROZEN, 'korean-misses.jsonl'), judgedQuestion.extend({ asked: words }))
  const course = [...pairs.map((pair) => ({ ...pair, queries: [] })), ...KOREAN_SET]
  return [
    { ...judged('Korean, words of the question', KOREAN_SET), similar: {}, unmatched: [] },
    { ...judged('Korean, other words', [...KOREAN_WORDINGS, ...BESIDE_THEM]), similar: {}, unmatched: [] },
    {
      ...judged('Korean, missed before', [...missed, ...KOREAN_SET.map(withoutQueries), ...BESIDE_THEM]),
      similar: { 'Korean, asked again': askedOf(missed, ({ asked }) => asked) },
      unmatched: [],
    },
    {
      name: 'made Korean pairs',
      texts: course,
      searches: { 'slips in Korean': slips('korean') },
      similar: { 'made Korean pairs': askedOf(pairs, ({ query }) => [query]) },
      unmatched: frozenLines('unmatched-korean-course.txt'),
    },
  ]
}

/** @param path a folder as findData finds it */
export function givenCollections(path: string): Collection[] {
  return [
    koreanTalk(join(path, 'duplicates/korean.jsonl')),
    forumQuestions(join(path, 'duplicates/qatarliving.jsonl')),
    ...['quantumcomputing', 'bicycles-meta'].map((name) => dump(name, join(path, 'stackexchange', name))),
  ]
}

const words = z.array(z.string())
const judgedQuestion = z.object({ title: z.string(), body: z.string(), queries: words })

function judged(name: string, questions: readonly JudgedQuestion[]) {
  return { name, texts: questions, searches: { [name]: askedOf(questions, ({ queries }) => queries) } }
}

const withoutQueries = (question: JudgedQuestion) => ({ ...question, queries: [] })

function askedOf<Row>(rows: readonly Row[], wordsOf: (row: Row) => readonly string[]): Asked[] {
  return rows.flatMap((row, index) =>
    wordsOf(row).map((title) => ({ title, body: '', right: [index], self: null })),
  )
}

function slips(set: string): Asked[] {
  return jsonLines(
    join(FROZEN, 'slips.jsonl'),
    z.object({ set: z.string(), place: z.number(), query: z.string() }),
  )
    .filter((slip) => slip.set === set)
    .map(({ place, query }) => ({ title: query, body: '', right: [place], self: null }))
}

function dump(name: string, folder: string): Collection {
  const { texts, duplicates, related } = readDump(folder)
  const isSlipped = name === 'quantumcomputing'
  return {
    name,
    texts,
    searches: {
      [`${name} by titles`]: knownByTitles(texts),
      [`${name} by answers`]: knownByAnswers(texts),
      ...(isSlipped
        ? { 'slips in English': slips(name), 'two slips in English': slips(`${name}, two`) }
        : {}),
    },
    similar: { [`duplicates of ${name}`]: duplicates, [`related in ${name}`]: related },
    unmatched: isSlipped ? frozenLines('unmatched-quantum.txt') : [],
  }
}

function koreanTalk(path: string): Collection {
  const rows = jsonLines(
    path,
    z.union([z.object({ query: z.string(), original: z.string() }), z.object({ distractor: z.string() })]),
  )
  return {
    name: 'Korean talk',
    texts: rows.map((row) => ({ title: 'original' in row ? row.original : row.distractor, body: '' })),
    searches: {},
    similar: { 'Korean talk': askedOf(rows, (row) => ('query' in row ? [row.query] : [])) },
    unmatched: frozenLines('unmatched-korean-talk.txt'),
  }
}

const candidate = z.object({ id: z.string(), title: z.string(), body: z.string(), label: z.string() })

function forumQuestions(path: string): Collection {
  const rows = jsonLines(path, z.object({ title: z.string(), candidates: z.array(candidate) }))
  const texts = new Map(rows.flatMap(({ candidates }) => candidates.map((one) => [one.id, one] as const)))
  const places = new Map([...texts.keys()].map((id, index) => [id, index]))
  const asked = rows.map(({ title, candidates }) => ({
    title,
    body: '',
    right: candidates.filter(({ label }) => label !== 'Irrelevant').map(({ id }) => places.get(id) ?? 0),
    self: null,
  }))
  return {
    name: 'English forum',
    texts: [...texts.values()],
    searches: {},
    similar: { 'English forum': asked.filter(({ right }) => right.length > 0) },
    unmatched: frozenLines('unmatched-qatar.txt'),
  }
}

function jsonLines<Row>(path: string, schema: z.ZodType<Row>): Row[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => schema.parse(JSON.parse(line)))
}

function frozenLines(name: string): string[] {
  return readFileSync(join(FROZEN, name), 'utf8').trim().split('\n')
}
