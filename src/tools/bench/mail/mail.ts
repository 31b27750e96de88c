import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { connect } from '../../../database/connection.ts'
import { startEmbedded } from '../../../database/embedded/embedded.ts'
import { migrate } from '../../../database/migrate.ts'
import type { Database } from '../../../database/schema.ts'
import { atEnd, type Ending } from '../../../testing/at-end.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../../testing/builders.ts'
import { anAnnouncement } from '../../../testing/posts.ts'
import { table } from '../../../text/markdown-table.ts'
import { machineSection } from '../machine.ts'
import { atLeast, atMost, GOAL_HEAD, goalRow } from '../speed/goals.ts'
import { startForum } from '../speed/processes.ts'
import type { Arrivals } from './sink.ts'

interface MailOptions {
  /** People whom the announcement is mailed to. */
  readonly people: number
  /** MAIL_CONNECTIONS. */
  readonly connections: number
  /** A PostgreSQL server for the forum; null: the embedded one in .data/bench. */
  readonly server: string | null
}

const NEWS = 'A change of the timetable'
const ACCOUNT = 'Waiting in the outbox'
/** Seconds of the whole measurement. */
const LONGEST = 900

/** Mail to a local server, from a forum in a process of its own: a section of Markdown. */
export const mailSection = ended(measure)

/** What is made for a measurement ends with it. */
export function ended<Rest extends readonly unknown[], Result>(
  measure: (end: Ending, ...rest: Rest) => Promise<Result>,
) {
  return async (...rest: Rest): Promise<Result> => {
    const works: (() => Promise<void>)[] = []
    try {
      return await measure({ after: (work) => works.push(work) }, ...rest)
    } finally {
      for (const work of works) await work()
    }
  }
}

async function measure(end: Ending, options: MailOptions, say: (line: string) => void): Promise<string> {
  const { people, connections } = options
  const url = await newDatabase(end, options.server, 'bench_mail')
  const db = connect(url, { connections: 2, statementTimeout: 0 })
  atEnd(end, () => db.destroy())
  await migrate(db)
  const { course, staff, question } = await aBigCourse(db, people)
  await fillOutbox(db, people)
  const sink = await startSink(end)
  say(`${people} emails wait in the outbox`)
  const outboxAt = Date.now()
  await startForum(end, url, {
    ...{ SMTP_URL: sink.url, MAIL_CONNECTIONS: String(connections), MAIL_SOON_SECONDS: '0' },
    ...{ MAIL_FROM: 'forum@example.org', LOG_LEVEL: 'warn' },
  })
  const outbox = await sink.all(ACCOUNT, people)
  say(`they left in ${((outbox - outboxAt) / 1000).toFixed(1)} s, with the forum's start`)
  const newsAt = Date.now()
  const news = { courseId: course.id, authorId: staff.id, title: NEWS, body: 'It begins at *nine*.' }
  await anAnnouncement(db, news)
  await sleep(3000)
  const answeredAt = Date.now()
  await anAnswer(db, { question, author: staff })
  const answered = await sink.after(answeredAt, question.title)
  const announced = await sink.all(NEWS, people)
  const rate = (from: number, to: number) => people / ((to - from) / 1000)
  const goals = [
    atLeast('emails a second from a full outbox', rate(outboxAt, outbox), 200),
    atLeast('emails a second of an announcement, written and sent', rate(newsAt, announced), 100),
    atMost('seconds until the email about an answer arrives meanwhile', (answered - answeredAt) / 1000, 10),
  ]
  return [
    `A course of ${people.toLocaleString('en')} people; \`MAIL_CONNECTIONS=${connections}\`, \`MAIL_SOON_SECONDS=0\`; the mail server takes everything at once, in a process of its own. An announcement is written for each person, looked at again as it is sent, and three seconds after it a question is answered.`,
    await machineSection(db),
    table(GOAL_HEAD, goals.map(goalRow)),
  ].join('\n\n')
}

/** An empty database, dropped at the end. @param serverUrl null: the embedded server in .data/bench */
export async function newDatabase(end: Ending, serverUrl: string | null, name: string): Promise<string> {
  const embedded =
    serverUrl === null ? await startEmbedded({ dataDir: '.data/bench', role: 'command' }) : null
  if (embedded !== null) atEnd(end, () => embedded.stop())
  const url = new URL(serverUrl ?? embedded?.url ?? '')
  const drop = `drop database if exists ${name} with (force)`
  await asServer(url.href, [drop, `create database ${name}`])
  const server = url.href
  atEnd(end, () => asServer(server, [drop]))
  url.pathname = `/${name}`
  return url.href
}

async function asServer(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function aBigCourse(db: Database, people: number) {
  const course = await aCourse(db)
  const staff = await aMember(db, course, 'instructor')
  const question = await aQuestion(db, { course, author: await aMember(db, course) })
  // With the two above.
  await sql`
    with made as (
      insert into people (display_name, email, email_confirmed_at)
      select 'Person ' || number, 'member-' || number || '@example.com', now() from generate_series(1, ${people - 1}) as number
      returning id)
    insert into course_members (course_id, person_id, role) select ${course.id}, id, 'learner' from made`.execute(
    db,
  )
  await sql`analyze`.execute(db)
  return { course, staff, question }
}

/** Mails that are sent as they are: what the sending itself takes. */
async function fillOutbox(db: Database, count: number): Promise<void> {
  await sql`
    insert into mails (kind, person_id, recipient, language, subject, text, html)
    select 'test', id, email, 'en', ${ACCOUNT}, repeat('A line of text. ', 60), repeat('<p>A line of text.</p> ', 60)
    from people where email is not null order by id limit ${count}`.execute(db)
}

async function startSink(end: Ending) {
  const child = fork(join(import.meta.dirname, 'sink.ts'), { serialization: 'advanced' })
  const ended = once(child, 'exit')
  atEnd(end, async () => {
    child.kill()
    await ended
  })
  child.send({})
  const [url] = await once(child, 'message')
  let arrivals: Arrivals = {}
  child.on('message', (told) => {
    arrivals = told as Arrivals
  })
  const until = async (found: () => number | undefined): Promise<number> => {
    for (const end = Date.now() + LONGEST * 1000; Date.now() < end; await sleep(50)) {
      const at = found()
      if (at !== undefined) return at
    }
    throw new Error(`emails did not arrive within ${LONGEST} s: ${JSON.stringify(arrivals)}`)
  }
  return {
    url: String(url),
    /** When so many with a text in their subject have arrived. */
    all: (text: string, count: number) =>
      until(() => {
        const [, found] = Object.entries(arrivals).find(([subject]) => subject.includes(text)) ?? []
        return found !== undefined && found.count >= count ? found.lastAt : undefined
      }),
    /** When the first with a text in its subject has arrived after a moment: staff were told of the question itself before. */
    after: (moment: number, text: string) =>
      until(() => {
        const found = Object.entries(arrivals).filter(([subject]) => subject.includes(text))
        return found.map(([, { lastAt }]) => lastAt).find((lastAt) => lastAt >= moment)
      }),
  }
}
