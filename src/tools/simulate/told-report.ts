import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Expected, ToldEntry } from './expected.ts'
import type { ToldMail } from './expected-mail.ts'

/** What the forum told, beside what it must have told. */
export interface ToldReport {
  readonly counts: readonly { readonly what: string; readonly found: number; readonly expected: number }[]
  /** A line each: nothing is missing, told twice, or told to the wrong people when there is none. */
  readonly differences: readonly string[]
}

/** Compares what is in the database with what was expected, one by one. */
export async function toldReport(db: Database, expected: Expected, baseUrl: string): Promise<ToldReport> {
  const [entries, mails] = [await entriesIn(db), await mailsIn(db, baseUrl)]
  const counts = [
    { what: 'notifications', found: entries.length, expected: expected.entries.length },
    { what: 'mails', found: mails.length, expected: expected.mails.length },
    { what: 'posts told by mail', found: linksIn(mails), expected: linksIn(expected.mails) },
  ]
  return {
    counts,
    differences: [
      ...differencesOf(entries.map(entryLine), expected.entries.map(entryLine)),
      ...differencesOf(mails.map(mailLine), expected.mails.map(mailLine)),
    ],
  }
}

async function entriesIn(db: Database): Promise<ToldEntry[]> {
  const { rows } = await sql<ToldEntry>`
    select person_id as "personId", question_id as "questionId", reason, count, seen_at is not null as "isSeen"
    from notifications where question_id is not null`.execute(db)
  return rows
}

/** The mails as their readers have them, as text: links of ours stand on lines of their own. */
async function mailsIn(db: Database, baseUrl: string): Promise<ToldMail[]> {
  const mails = await db
    .selectFrom('mails')
    .select(['person_id as personId', 'text'])
    .where('kind', '=', 'news')
    .execute()
  return mails.map(({ personId, text }) => ({ personId: personId ?? 0, ...readMail(text, baseUrl) }))
}

const HONOURS = /^(?:Your answer was accepted|Course staff endorsed your answer)\b/

function readMail(text: string, baseUrl: string): Pick<ToldMail, 'links' | 'honours'> {
  const lines = text.split('\n')
  const links = lines.flatMap((line) => {
    const [, question, fragment] = /^\/questions\/(\d+)(#\S+)?$/.exec(pathIn(line, baseUrl)) ?? []
    return question === undefined ? [] : [`${question}${fragment ?? ''}`]
  })
  // Above what is new in a question stands its own link, once more where it is what is new.
  const headings = new Set(links.map((link) => link.split('#')[0] ?? ''))
  for (const heading of headings) links.splice(links.indexOf(heading), 1)
  return { links: links.toSorted(), honours: lines.filter((line) => HONOURS.test(line)).length }
}

function pathIn(line: string, baseUrl: string): string {
  return line.startsWith(baseUrl) ? line.slice(baseUrl.length) : ''
}

function linksIn(mails: readonly ToldMail[]): number {
  return mails.reduce((sum, { links }) => sum + links.length, 0)
}

function entryLine({ personId, questionId, reason, count, isSeen }: ToldEntry): string {
  return `person ${personId}, question ${questionId}: ${reason}, ${count} times, ${isSeen ? 'seen' : 'unseen'}`
}

function mailLine({ personId, links, honours }: ToldMail): string {
  return `mail to person ${personId}: ${[...links, ...Array<string>(honours).fill('honoured')].join(', ')}`
}

/** Lines that stand more often on one side than on the other. */
function differencesOf(found: readonly string[], expected: readonly string[]): string[] {
  const more = new Map<string, number>()
  for (const line of found) more.set(line, (more.get(line) ?? 0) + 1)
  for (const line of expected) more.set(line, (more.get(line) ?? 0) - 1)
  return [...more].flatMap(([line, count]) =>
    count === 0 ? [] : [`${count > 0 ? 'told, but not expected' : 'expected, but not told'}: ${line}`],
  )
}
