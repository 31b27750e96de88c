import type { TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { postAnswer } from '../../forum/answers/operations.ts'
import { HELD } from '../../forum/cases/held.ts'
import { caseOf, decided, reported } from '../../forum/cases/testing.ts'
import { editText } from '../../forum/posts/text.ts'
import { markRead } from '../../forum/telling/read.ts'
import { act } from '../../testing/act.ts'
import { testApp } from '../../testing/app.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeCourse,
  type MadePerson,
  type MadeQuestion,
} from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aText } from '../../testing/posts.ts'
import { setRows } from '../../testing/rows.ts'
import { until } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { everybodyHears } from './hearing-testing.ts'
import type { Addressed } from './secrets-testing.ts'
import { everyRequest } from './sweep-testing.ts'

/** Who writes what is anonymous: someone who asked and answered in the course under their name, or someone nobody has seen there. */
export type Writer = 'seen' | 'unseen'

/** A course that is the same in everything public, whoever the writer is. */
export interface Alike {
  readonly db: Database
  readonly course: MadeCourse
  /** Asked and answered under names, and followed by all readers. */
  readonly question: MadeQuestion
  /** Asked long ago by who is seen, and not answered yet. */
  readonly unanswered: MadeQuestion
  /** Asked and answered under the name. */
  readonly seen: MadePerson
  /** Of everything anonymous. */
  readonly writer: MadePerson
}

/**
 * Whoever adds something that can be done without the name does it here: differences.test.ts then compares all that readers see and
 * are told, with a writer who was seen before and with one who was not. Each runs in both courses, in this order.
 */
export const ANONYMOUS_DOINGS: Readonly<Record<string, (alike: Alike) => Promise<void>>> = {
  'answers, and edits the answer': async ({ db, question, writer: author }) => {
    const { id } = await anAnswer(db, { question, author, isAnonymous: true, body: 'One way.' })
    const edit = { body: await aText('Another way.'), actorId: author.id, version: 1, isByStaff: false }
    await within(db, editText, 'answers', { id, questionId: question.id }, edit)
  },
  'replies to the question and to an answer': async ({ db, question, writer }) => {
    await aReply(db, { question, author: writer, isAnonymous: true, body: 'A detail.' })
    const author = await aPerson(db, { displayName: 'Helper' })
    const answer = await anAnswer(db, { question, author, body: 'A third way.' })
    await aReply(db, { answer, author: writer, isAnonymous: true, body: 'Indeed.' })
  },
  'answers first': async ({ db, unanswered, writer: author }) => {
    await anAnswer(db, { question: unanswered, author, isAnonymous: true, body: 'The first one.' })
  },
  'is reported by a classmate, and waits for staff': async ({ db, question, writer: author }) => {
    const { id } = await anAnswer(db, { question, author, isAnonymous: true, body: 'Look it up.' })
    await reported(db, { about: 'answer', id }, await idOf(db, 'classmate'))
  },
  'is reported by a classmate, hidden and warned': async ({ db, question, writer: author }) => {
    const { id } = await anAnswer(db, { question, author, isAnonymous: true, body: 'Read the slides.' })
    const subject = { about: 'answer', id } as const
    const [reporterId, staffId] = [await idOf(db, 'classmate'), await idOf(db, 'teacher')]
    await reported(db, subject, reporterId)
    await decided(db, staffId, await caseOf(db, subject), ['hide', 'warn'], { reporterNote: 'It is hidden.' })
  },
  'answers twice where posts wait for review, and one of them is released': async ({
    db,
    course,
    question,
    writer: actor,
  }) => {
    const hold = (kept: 'all' | 'none') => setRows(db, 'courses', course.id, { hold: kept })
    const answer = (body: string) =>
      act({ db }, postAnswer, { actor, key: question.id, input: { body, anonymous: '1' } })
    await hold('all')
    const { id: key } = await answer('A way that was reviewed.')
    await answer('A way that waits.')
    await hold('none')
    await act({ db }, HELD.answers.release, { actor: { id: await idOf(db, 'teacher') }, key })
  },
  asks: async ({ db, course, writer: author }) => {
    const question = await aQuestion(db, { course, author, isAnonymous: true, title: 'Asked by whom' })
    await aReply(db, { question, author, isAnonymous: true, body: 'More of it.' })
  },
}

/** A reader's requests and mails, each with what came of it, without numbers and times that differ by chance. */
export type Seen = ReadonlyMap<string, string>

/** A forum with such a course, its readers, and where to note what they see. */
export interface Looking {
  readonly seen: Map<string, string>
  readonly app: FastifyInstance
  readonly db: Database
  readonly readers: Readonly<Record<string, MadePerson>>
  readonly addressed: Addressed
}

/**
 * Everything that readers who don't see names are told of such a course, and can see of it.
 * @param look notes what they see; on all pages by default
 */
export async function everythingSeen(
  t: TestContext,
  name: Writer,
  look: (looking: Looking) => Promise<void> = lookAtPages,
): Promise<Seen> {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  // Each reader asks for every page, as nobody does within a minute.
  app.renderLimit.count = () => {}
  // Views are written every five seconds, whichever page comes next.
  app.views.flush = async () => {}
  const { readers, alike } = await anAlikeCourse(db, name)
  const { course, question, unanswered } = alike
  const hearing = await everybodyHears(t, db, Object.values(readers), {
    course,
    questions: [question, unanswered],
  })
  for (const { id } of Object.values(readers))
    await db.transaction().execute((write) => markRead(write, question.id, id, sql`now()`))
  // Reading is known to the millisecond: what follows has to be later than that.
  const read = Date.now()
  await until('a later millisecond', () => Date.now() > read)
  // So that the bell tells of it together with what is anonymous.
  await anAnswer(db, { question, author: alike.seen, body: 'And one more, under the name.' })
  for (const act of Object.values(ANONYMOUS_DOINGS)) await act(alike)
  const heard = await hearing.hear()
  const addressed = await addressesOf(alike)
  const seen = new Map<string, string>()
  for (const [reader, person] of Object.entries(readers)) {
    const { mails, pushes } = heard(person)
    for (const [index, mail] of mails.entries()) seen.set(`${reader}, mail ${index}`, withoutChance(mail))
    for (const [index, push] of pushes.entries()) seen.set(`${reader}, push ${index}`, withoutChance(push))
  }
  await look({ seen, app, db, readers, addressed })
  return seen
}

async function lookAtPages({ seen, app, readers, addressed }: Looking): Promise<void> {
  for (const [reader, person] of Object.entries(readers))
    await addPages(seen, { reader, browser: await signedIn(app, person) }, app, addressed)
  await addPages(seen, { reader: 'visitor', browser: visitor(app) }, app, addressed)
}

/** What differs between the two: what each says where it first does. */
export function differencesBetween(one: Seen, other: Seen): string[] {
  const all = new Set([...one.keys(), ...other.keys()])
  return [...all].flatMap((what) => {
    const [first = 'nothing', second = 'nothing'] = [one.get(what), other.get(what)]
    if (first === second) return []
    const at = [...first].findIndex((character, index) => character !== second.charAt(index))
    const around = (text: string) => text.slice(Math.max(0, at - 60), at + 100)
    return [`${what}: ${around(first)} <> ${around(second)}`]
  })
}

/** The number of someone of the course, who is called so. */
async function idOf(db: Database, name: string): Promise<number> {
  const email = `${name}@example.com`
  return (await db.selectFrom('people').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id
}

const HOUR_MS = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS)

/** Everybody has the same number and name in each of these courses. */
async function anAlikeCourse(db: Database, name: Writer) {
  const course = await aCourse(db, { slug: 'alike', title: 'Alike', lectures: ['One'] })
  await db.updateTable('courses').set({ allows_anonymous: true }).where('id', '=', course.id).execute()
  const someone = (displayName: string) =>
    aPerson(db, { displayName, email: `${displayName.toLowerCase()}@example.com` })
  const member = async (displayName: string) => aMember(db, course, 'learner', await someone(displayName))
  const staff = await aMember(db, course, 'instructor', await someone('Teacher'))
  const writers = { unseen: await member('Una'), seen: await member('Seon') }
  const readers = { classmate: await member('Classmate'), outsider: await someone('Outsider') }
  const { seen } = writers
  const asker = await member('Aske')
  const question = await aQuestion(db, { course, author: asker, title: 'One question', tags: ['http'] })
  const answer = await anAnswer(db, { question, author: seen, body: 'The way.' })
  await aReply(db, { answer, author: asker, body: 'Thanks.' })
  await aReply(db, { question, author: seen, body: 'By the way.' })
  // A record under the name, and a case that waits.
  for (const [body, kinds] of [
    ['Rude.', ['warn']],
    ['Ruder.', []],
  ] as const) {
    const subject = { about: 'answer', ...(await anAnswer(db, { question, author: seen, body })) } as const
    await reported(db, subject, asker.id)
    if (kinds.length > 0) await decided(db, staff.id, await caseOf(db, subject), kinds)
  }
  // So many that the course says how soon an answer usually comes, and so few that one makes a difference.
  for (const [index, hours] of [1, 30, 30].entries()) {
    const about = { course, author: staff, title: `Another question ${index}`, writtenAt: ago(hours) }
    await anAnswer(db, { question: await aQuestion(db, about), author: seen, body: 'Yes.' })
  }
  const title = 'An old question'
  const unanswered = await aQuestion(db, { course, author: seen, title, writtenAt: ago(30) })
  const alike: Alike = { db, course, question, unanswered, seen, writer: writers[name] }
  return { alike, readers }
}

/** The numbers and names that addresses of such a course have. */
export async function addressesOf({ db, course }: Pick<Alike, 'db' | 'course'>): Promise<Addressed> {
  const ids = async (table: 'questions' | 'answers' | 'replies' | 'people') =>
    (
      await db
        .selectFrom(table as 'people')
        .select('id')
        .orderBy('id')
        .execute()
    ).map(({ id }) => id)
  return {
    ...{
      course: [course.slug],
      tag: ['http'],
      questions: await ids('questions'),
      answers: await ids('answers'),
    },
    ...{ replies: await ids('replies'), people: await ids('people') },
  }
}

interface Surfer {
  readonly reader: string
  readonly browser: Browser
}

/** Notes every page as a reader sees it. */
export async function addPages(
  seen: Map<string, string>,
  { reader, browser }: Surfer,
  app: FastifyInstance,
  addressed: Addressed,
): Promise<void> {
  for (const { method, url } of everyRequest(app, addressed)) {
    // Some ask for words of other tests.
    if (method !== 'GET' || url.includes('zyx')) continue
    const { statusCode, headers, body } = await browser.get(url)
    const { location = '' } = headers
    seen.set(`${reader}, ${url}`, withoutChance(`${statusCode} ${location}\n${body}`))
    const next = String(location).split('#')[0] ?? ''
    if (next.startsWith('/') && !seen.has(`${reader}, ${next}`))
      seen.set(`${reader}, ${next}`, withoutChance((await browser.get(next)).body))
  }
}

/** Without the numbers, times and tokens that differ between any two runs. */
export function withoutChance(text: string): string {
  return CHANCE.reduce((left, pattern) => left.replace(pattern, '*'), text)
}

const CHANCE = [
  // "Just now", or a number that is read out in another way.
  /(?:<span class="digits" aria-hidden="true">)?<time[^>]*>[^<]*<\/time>(?:<\/span><span class="visually-hidden">[^<]*<\/span>)?/g,
  // A mail as it was sent, whose decoded parts follow.
  /^[\s\S]*?(?=\n\[\{"key":)/,
  /"(?:key|originalKey|value)":"[^"]*(?:date|message-id|reply-to|boundary|<?[\w-]{36}@|reply\+)[^"]*"/gi,
  /\/unsubscribe\/[\w.-]+/g,
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g,
  /\b\d{1,2}:\d\d(?::\d\d)?\b/g,
  /\b1\d{12}\b/g,
  /\/notifications\/\d+\/opening/g,
  // The same number of a notification, for programs.
  /"id":\d+(?=,"reason")/g,
  /(?:name="_csrf" value|nonce|content-length)="?[^"\s]+/g,
  /[?&](?:amp;)?(?:after|updated_after|before|since|cursor)=[\w.%-]+/g,
  // Events, and cursors of them.
  /(?<="(?:id|cursor)":")[\w-]{22}(?=")/g,
  /\/settings\/sessions\/[\w-]+/g,
  /--_NmP-\w+-Part_\d/g,
  /vapid t=[^"]+/g,
  /Request <code>[\w-]+/g,
  /"instance":"urn:uuid:[\w-]+/g,
  /"challenge":"[\w-]+/g,
  /"https:\/\/push\.example[^"]*"/g,
]
