import type { Request } from 'autocannon'
import pg from 'pg'
import { Random } from '../../generate/random.ts'
import { renderedBody } from '../../questions/post-text.ts'
import { CONNECTIONS, type Result, timesOf } from './load.ts'
import type { SignedIn } from './people.ts'
import { BROWSER_HEADERS } from './traffic.ts'

/** An answer as people write them: prose, a list, and some code. */
const TEXT = `It depends on **who** reads the response. A list as the root of a JSON document cannot grow a second field later.

- wrap it in an object with a name of its own
- keep the status codes for what HTTP says they mean

\`\`\`java
public record Page<T>(List<T> items, String next) {}
\`\`\``

/** Number of the text: the same one twice would be the same form sent twice. */
let written = 0

export function answerText(): string {
  written += 1
  return `${TEXT}\n\nNumber ${written} of ${process.pid}.`
}

/** Requests of a connection that answer questions drawn at random, as people of its own. */
export function answersBy(
  people: readonly SignedIn[],
  questionIds: readonly number[],
): (connection: number) => Request[] {
  return (connection) => {
    const random = new Random(7, connection)
    const own = people.filter((_person, index) => index % CONNECTIONS === connection)
    return own.map((person) => ({
      setupRequest: (request) => ({
        ...request,
        ...formOf(person, `/questions/${random.pick(questionIds)}/answers`, { body: answerText() }),
      }),
    }))
  }
}

/** A form as a browser sends it. */
export function formOf(person: SignedIn, path: string, fields: Readonly<Record<string, string>>) {
  return {
    method: 'POST' as const,
    path,
    headers: {
      ...BROWSER_HEADERS,
      cookie: person.cookie,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ _csrf: person.token, ...fields }).toString(),
  }
}

/**
 * The transaction that an answer is at the least, by as many connections one after another, without anything around it:
 * the answer is inserted and its question counts it. What tells other processes of it is switched off meanwhile.
 */
export async function rawAnswers(
  databaseUrl: string,
  people: readonly SignedIn[],
  questionIds: readonly number[],
  seconds: number,
): Promise<Result> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS })
  await switchTriggers(pool, 'disable')
  const rendered = renderedBody(answerText())
  const times: number[] = []
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()))
  const begun = performance.now()
  const end = begun + seconds * 1000
  const post = async (client: pg.PoolClient, connection: number) => {
    const random = new Random(8, connection)
    while (performance.now() < end) {
      const started = performance.now()
      await rawAnswer(client, [random.pick(questionIds), random.pick(people).id, ...Object.values(rendered)])
      times.push(performance.now() - started)
    }
  }
  await Promise.all(clients.map(post))
  const duration = (performance.now() - begun) / 1000
  for (const client of clients) client.release()
  await switchTriggers(pool, 'enable')
  await pool.end()
  return { ...timesOf(times, duration), processor: null }
}

/** Four prepared statements. @param values question, author, body, its HTML and the renderer's version */
async function rawAnswer(client: pg.PoolClient, values: readonly unknown[]): Promise<void> {
  await client.query({ name: 'begin', text: 'begin' })
  await client.query({
    name: 'insert',
    text: `insert into answers (question_id, author_id, body, body_html, renderer_version)
      values ($1, $2, $3, $4, $5) returning id`,
    values: [...values],
  })
  await client.query({
    name: 'count',
    text: 'update questions set answers_count = answers_count + 1, active_at = now() where id = $1',
    values: values.slice(0, 1),
  })
  await client.query({ name: 'commit', text: 'commit' })
}

/** Foreign keys stay as they are. */
async function switchTriggers(pool: pg.Pool, to: 'disable' | 'enable'): Promise<void> {
  for (const table of ['answers', 'questions']) await pool.query(`alter table ${table} ${to} trigger user`)
}
