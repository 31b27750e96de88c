import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { aToken } from '../../accounts/tokens/testing.ts'
import type { Database } from '../../database/schema.ts'
import { ENDPOINTS } from '../../doors/api/endpoints.ts'
import { aProgram } from '../../doors/api/testing.ts'
import { caseLettersKind } from '../../forum/cases/letters.ts'
import type { Subject } from '../../forum/cases/subject.ts'
import { caseOf, decided, reported } from '../../forum/cases/testing.ts'
import { numberEvents } from '../../forum/events/numbering.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { addPages, addressesOf, differencesBetween, type Seen, withoutChance } from './differences-testing.ts'
import { everybodyHears } from './hearing-testing.ts'
import { addressesOf as urlsOf } from './requests-testing.ts'

const LETTERS = { baseUrl: 'https://forum.example', timeZone: 'UTC' }

/** Who reports, in this order, and how many hours ago each; null: a visitor, with an address. */
type Reporting = readonly (readonly [reporter: string | null, hoursAgo: number])[]

const ONE: Reporting = [['Quiet', 1]]
const SEVERAL: Reporting = [
  [null, 70],
  ['Helper', 50],
  ['Loud', 30],
  ['Quiet', 5],
]

test('nothing that authors see or are told says by whom, how often, in which order or when they were reported', async (t) => {
  const seen = await authorsView(t, ONE)
  for (const what of [
    /^decided, mail/,
    /^(?:open|decided), \/settings\/standing$/,
    /^(?:open|decided), \/settings\/account\/data$/,
    /^(?:open|decided), \/notifications$/,
    /^(?:open|decided), API \/me\/notifications$/,
  ])
    assert.ok(
      seen.keys().some((one) => what.test(one)),
      String(what),
    )
  assert.match(seen.get('decided, /settings/standing') ?? '', /Say it kindly/)
  assert.deepEqual(differencesBetween(seen, await authorsView(t, SEVERAL)), [])
})

/** All that an author of reported posts sees and is told, while their cases wait and once they are decided. */
async function authorsView(t: TestContext, reporting: Reporting): Promise<Seen> {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  app.renderLimit.count = () => {}
  app.apiRequests.count = () => ({ count: 1, ttl: 1000 })
  app.views.flush = async () => {}
  const course = await aCourse(db, { slug: 'alike', title: 'Alike' })
  const member = async (displayName: string, role: 'learner' | 'assistant' | 'instructor' = 'learner') =>
    aMember(
      db,
      course,
      role,
      await aPerson(db, { displayName, email: `${displayName.toLowerCase()}@example.com` }),
    )
  const [staff, author] = [await member('Teacher', 'instructor'), await member('Author')]
  const reporters = [await member('Quiet'), await member('Loud'), await member('Helper', 'assistant')]
  const question = await aQuestion(db, { course, author, title: 'Which one?', tags: ['http'] })
  const hidden = await anAnswer(db, { question, author, body: 'Look it up.' })
  const declined = await anAnswer(db, { question, author, body: 'Read the slides.' })
  const hearing = await everybodyHears(t, db, [author], { course, questions: [question] })
  const browser = await signedIn(app, author)
  const program = aProgram(app, await aToken({ db }, author, ['read', 'write', 'staff']))
  const seen = new Map<string, string>()
  const look = async (when: string) => {
    await doJobs(db, caseLettersKind(db, LETTERS))
    const { mails, pushes } = (await hearing.hear())(author)
    for (const [index, mail] of mails.entries()) seen.set(`${when}, mail ${index}`, withoutChance(mail))
    for (const [index, push] of pushes.entries()) seen.set(`${when}, push ${index}`, withoutChance(push))
    await numberEvents(db)
    const addressed = await addressesOf({ db, course })
    await addPages(seen, { reader: when, browser }, app, addressed)
    const urls = ENDPOINTS.filter(({ method }) => method === 'GET').map(({ path }) => urlsOf(path, addressed))
    for (const url of urls.flat()) {
      const { statusCode, body } = await program.get(url)
      seen.set(`${when}, API ${url}`, withoutChance(`${statusCode} ${body}`))
    }
  }
  const subjects = [hidden, declined].map(({ id }) => ({ about: 'answer', id }) as const)
  for (const subject of [...subjects, { about: 'question', id: question.id } as const])
    await reportedBy(db, subject, reporting, reporters)
  await look('open')
  const said = { note: 'Say it kindly.', rule: 'Be kind', reporterNote: 'Thank you.', staffNote: 'Again.' }
  for (const [index, subject] of subjects.entries())
    await decided(db, staff.id, await caseOf(db, subject), index === 0 ? ['hide', 'warn'] : [], said)
  await look('decided')
  return seen
}

/** Reports a post for the first reason alike, as the law tells of spam otherwise, and for others. */
async function reportedBy(
  db: Database,
  subject: Subject,
  reporting: Reporting,
  people: readonly { readonly id: number; readonly displayName: string }[],
): Promise<void> {
  for (const [index, [name, hoursAgo]] of reporting.entries()) {
    const reporter = people.find(({ displayName }) => displayName === name)
    const reason = index === 0 ? 'rude' : 'solution'
    const email = name === null ? 'visitor@home.example' : null
    await reported(db, subject, reporter?.id ?? null, { reason, note: `By ${name}`, email })
    const { id } = await caseOf(db, subject)
    const at = sql<Date>`now() - make_interval(hours => ${hoursAgo})`
    if (index === 0) await db.updateTable('cases').set({ opened_at: at }).where('id', '=', id).execute()
    const latest = db.selectFrom('reports').select((of) => of.fn.max('id').as('id'))
    await db.updateTable('reports').set({ reported_at: at }).where('id', '=', latest).execute()
  }
}
