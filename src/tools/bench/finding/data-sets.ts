import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { KOREAN_SET } from '../korean-set.ts'
import type { DataSet } from './data-set.ts'
import { readDuplicates } from './stack-exchange.ts'

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

/** The pairs that were made for this benchmark: they come with the project. */
export function madePairs(): DataSet {
  const pairs = jsonLines(
    join(FROZEN, 'korean-pairs.jsonl'),
    z.object({ title: z.string(), body: z.string(), query: z.string() }),
  )
  const course = KOREAN_SET.map(({ title, body }) => ({ title, body }))
  return {
    name: 'made Korean pairs',
    collection: [...pairs.map(({ title, body }) => ({ title, body })), ...course],
    asked: pairs.map(({ query }, index) => ({ title: query, body: '', right: [index], self: null })),
    unmatched: frozenLines('unmatched-korean-course.txt'),
  }
}

/** @param path a folder as findData finds it */
export function judgedSets(path: string): DataSet[] {
  const dumps = ['quantumcomputing', 'bicycles-meta'].map((name) => ({
    ...readDuplicates(join(path, 'stackexchange', name)),
    name: `duplicates of ${name}`,
    unmatched: name === 'quantumcomputing' ? frozenLines('unmatched-quantum.txt') : [],
  }))
  return [
    koreanPairs(join(path, 'duplicates/korean.jsonl')),
    forumQuestions(join(path, 'duplicates/qatarliving.jsonl')),
    ...dumps,
  ]
}

function koreanPairs(path: string): DataSet {
  const rows = jsonLines(
    path,
    z.union([z.object({ query: z.string(), original: z.string() }), z.object({ distractor: z.string() })]),
  )
  const collection = rows.map((row) => ({
    title: 'original' in row ? row.original : row.distractor,
    body: '',
  }))
  const asked = rows.flatMap((row, index) =>
    'query' in row ? [{ title: row.query, body: '', right: [index], self: null }] : [],
  )
  return {
    name: 'Korean pairs (korean.jsonl)',
    collection,
    asked,
    unmatched: frozenLines('unmatched-korean-talk.txt'),
  }
}

const candidate = z.object({ id: z.string(), title: z.string(), body: z.string(), label: z.string() })
const judged = z.object({ title: z.string(), body: z.string(), candidates: z.array(candidate) })

function forumQuestions(path: string): DataSet {
  const rows = jsonLines(path, judged)
  const collection = new Map(
    rows.flatMap(({ candidates }) => candidates.map((one) => [one.id, one] as const)),
  )
  const places = new Map([...collection.keys()].map((id, index) => [id, index]))
  const asked = rows.map(({ title, candidates }) => ({
    title,
    body: '',
    right: candidates.filter(({ label }) => label !== 'Irrelevant').map(({ id }) => places.get(id) ?? 0),
    self: null,
  }))
  return {
    name: 'English forum (qatarliving.jsonl)',
    collection: [...collection.values()].map(({ title, body }) => ({ title, body })),
    asked: asked.filter(({ right }) => right.length > 0),
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
