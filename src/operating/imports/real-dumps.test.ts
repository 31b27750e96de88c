import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from '../../database/connection.ts'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { countStaleDocuments } from '../../forum/search/index-question.ts'
import { atEnd } from '../../testing/at-end.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { importStackExchange } from '../../testing/dumps.ts'
import type { Count } from '../exchange/import-tally.ts'

const DATA = join(import.meta.dirname, '../../../../shared/data/stackexchange')
const skip = existsSync(DATA) ? false : `there are no real dumps in ${DATA}`

/** Counted in the files themselves with another XML parser. */
const DUMPS = [
  {
    name: 'quantumcomputing',
    people: { read: 3461, imported: 402 },
    former: 3,
    questions: 612,
    answers: 1060,
    comments: 3413,
    resolved: 389,
    others: 314,
    exact: 1667,
  },
  {
    name: 'bicycles-meta',
    people: { read: 2551, imported: 311 },
    former: 11,
    questions: 453,
    answers: 971,
    comments: 2448,
    resolved: 157,
    others: 22,
    exact: 1423,
  },
]

for (const dump of DUMPS) {
  test(`every post and comment of ${dump.name} is imported, once, and shown as it was`, {
    skip,
  }, async (t) => {
    // As the command connects: an import may be silent for longer than any other transaction.
    const { url } = await testDatabaseWithUrl(t)
    const db = connect(url, { statementTimeout: 0 })
    atEnd(t, () => db.destroy())
    const tally = await importDump(db, dump.name)
    const { counts } = tally
    assert.deepEqual(numbers(counts.people), dump.people)
    assert.deepEqual(numbers(counts['former members']), whole(dump.former))
    assert.deepEqual(numbers(counts.questions), whole(dump.questions))
    assert.deepEqual(numbers(counts.answers), whole(dump.answers))
    assert.deepEqual(numbers(counts.replies), whole(dump.comments))
    assert.deepEqual(numbers(counts['other posts']), { read: dump.others, imported: 0 })
    assert.ok((tally.notes.get('texts shown exactly as they were') ?? 0) >= dump.exact)
    assert.deepEqual(await stored(db), [dump.questions, dump.answers, dump.comments, dump.resolved])
    assert.deepEqual(await recount(db), [])
    assert.equal(await countStaleDocuments(db), 0)

    const again = await importDump(db, dump.name)
    assert.deepEqual(
      Object.values(again.counts).filter(({ imported }) => imported > 0),
      [],
    )
    assert.deepEqual(await stored(db), [dump.questions, dump.answers, dump.comments, dump.resolved])
  })
}

function importDump(db: Database, name: string) {
  return importStackExchange(db, { folder: join(DATA, name), course: { slug: name, title: name } })
}

function whole(count: number) {
  return { read: count, imported: count }
}

function numbers(count: Count | undefined) {
  return { read: count?.read, imported: count?.imported }
}

async function stored(db: Database): Promise<number[]> {
  const { questions_count, resolved_count } = await db
    .selectFrom('courses')
    .select(['questions_count', 'resolved_count'])
    .executeTakeFirstOrThrow()
  const countOf = async (table: 'answers' | 'replies') =>
    (await db.selectFrom(table).select('id').execute()).length
  return [questions_count, await countOf('answers'), await countOf('replies'), resolved_count]
}
