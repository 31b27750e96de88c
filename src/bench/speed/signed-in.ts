import { setTimeout as sleep } from 'node:timers/promises'
import { table } from '../../text/markdown-table.ts'
import { atLeast, type Goal, LOAD_HEAD, loadRow, ratio } from './goals.ts'
import type { Ground } from './ground.ts'
import { alternating, sendForms } from './load.ts'
import { fetchAll } from './pages.ts'
import { answersBy, rawAnswers } from './posting.ts'
import { startQueryReference } from './query-reference.ts'
import { figures, type Part, reading, VIEWS_WRITTEN } from './readers.ts'
import { requestsFor } from './traffic.ts'

/** Requests that make again what views have changed. */
const WARMING = 12_000

/** A second, whatever the page. */
const WANTED = 5000

/** People who are signed in and read, beside equal pages made by one query. */
export async function signedInPart(ground: Ground): Promise<Part> {
  const { end, databaseUrl, forum, options, people, traffic, say } = ground
  const reference = await startQueryReference(end, databaseUrl, people[0]?.id ?? 0)
  const cookies = people.map((person) => person.cookie)
  // A person's first view of a question counts, which changes its page: by then all have counted.
  say('every request of those signed in, once')
  for (const paths of [traffic.lists, traffic.questions]) {
    const requests = requestsFor(paths, cookies)
    await fetchAll(forum.url, requests)
  }
  await sleep(VIEWS_WRITTEN)
  await fetchAll(forum.url, requestsFor(traffic.questions, cookies).slice(0, WARMING))
  const rows: string[] = []
  const goals: Goal[] = []
  for (const kind of ['list', 'question'] as const) {
    const results = await alternating(
      {
        forum: reading(ground, forum, kind, cookies),
        reference: reading(ground, reference, kind, cookies),
      },
      options.rounds,
    )
    rows.push(
      loadRow(`${kind}, signed in`, results.forum, results.reference),
      loadRow(`(e) an equal page, of one query`, results.reference, null),
    )
    goals.push(
      atLeast(`${kind} signed in, of (e)`, ratio(results.forum, results.reference), 0.8),
      atLeast(`${kind} signed in`, results.forum.perSecond, WANTED, '/s'),
    )
    say(`signed in, ${kind}: ${figures(results)}`)
  }
  return { text: `### Signed in\n\n${table(LOAD_HEAD, rows)}`, goals }
}

/** Answers posted through the form, beside the transactions alone. */
export async function answersPart(ground: Ground): Promise<Part> {
  const { databaseUrl, forum, options, people, questionIds, say } = ground
  const results = await alternating(
    {
      forum: () => sendForms(forum, answersBy(people, questionIds), options.seconds),
      raw: () => rawAnswers(databaseUrl, people, questionIds, options.seconds),
    },
    options.rounds,
  )
  say(`answers: ${figures(results)}`)
  const rows = [
    loadRow('answer posted through its form', results.forum, results.raw),
    loadRow('(c) its transaction alone: begin, insert, count, commit', results.raw, null),
  ]
  const goals = [atLeast('answer posted through its form, of (c)', ratio(results.forum, results.raw), 0.3)]
  return { text: `### Answers\n\n${table(LOAD_HEAD, rows)}`, goals }
}
