import { table } from '../../../text/markdown-table.ts'
import type { BenchContext } from './context.ts'
import { atLeast, type Goal, LOAD_HEAD, loadRow, ratio } from './goals.ts'
import { alternating, sendForms } from './load.ts'
import { fetchAll, fetchPages } from './pages.ts'
import { answersBy } from './posting.ts'
import { figures, type Part, reading } from './readers.ts'
import { startReference } from './reference.ts'
import { requestsFor } from './traffic.ts'

/** Of what a bare route sends. */
const GOALS = { list: 0.06, question: 0.04 }
const ANSWERS_GOAL_PER_SECOND = 200

/** Signed-in readers, beside visitors' pages from a bare route. */
export async function signedInPart(context: BenchContext): Promise<Part> {
  const { end, forum, options, people, traffic, say } = context
  const bare = await startReference(
    end,
    await fetchPages(forum.url, [...traffic.lists, ...traffic.questions]),
  )
  const cookies = people.map((person) => person.cookie)
  // Pages are cached at the second request, with the readers for whom they are not personal.
  say('every request of those signed in, twice')
  for (const paths of [traffic.lists, traffic.questions]) {
    const requests = requestsFor(paths, cookies)
    for (let round = 0; round < 2; round += 1) await fetchAll(forum.url, requests)
  }
  const rows: string[] = []
  const goals: Goal[] = []
  for (const kind of ['list', 'question'] as const) {
    const results = await alternating(
      {
        forum: reading(context, forum, kind, cookies),
        bare: reading(context, bare, kind),
      },
      options.rounds,
    )
    rows.push(
      loadRow(`${kind}, signed in`, results.forum, results.bare),
      loadRow(`(a) a bare Fastify sending the ${kind}s of visitors`, results.bare, null),
    )
    goals.push(atLeast(`${kind} signed in, of (a)`, ratio(results.forum, results.bare), GOALS[kind]))
    say(`signed in, ${kind}: ${figures(results)}`)
  }
  return { text: `### Signed in\n\n${table(LOAD_HEAD, rows)}`, goals }
}

/** Answers posted through the form. */
export async function answersPart(context: BenchContext): Promise<Part> {
  const { forum, options, people, questionIds, say } = context
  const results = await alternating(
    { forum: () => sendForms(forum, answersBy(people, questionIds), options.seconds) },
    options.rounds,
  )
  say(`answers: ${figures(results)}`)
  const rows = [loadRow('answer posted through its form', results.forum, null)]
  const goals = [
    atLeast('answers posted through the form', results.forum.perSecond, ANSWERS_GOAL_PER_SECOND, '/s'),
  ]
  return { text: `### Answers\n\n${table(LOAD_HEAD, rows)}`, goals }
}
