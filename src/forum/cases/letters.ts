import { type Nullable, sql } from 'kysely'
import type { Database, Language, Row, Write } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueue, enqueueDue } from '../../jobs/table.ts'
import { REPORT_LETTERS } from '../../kernel/limits.ts'
import { isCourseReadableByPerson, isReadableByPerson } from '../../kernel/rights/visibility.ts'
import type { Letter } from '../../mail/letter.ts'
import { countMailTo, writeMail } from '../../mail/write-mail.ts'
import { type Translate, translatorOf } from '../../messages/catalogue.ts'
import { writtenDate, writtenMoment } from '../../messages/spoken-moment.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { plainText } from '../../text/plain.ts'
import { groundOf, noteBeside } from '../handling/decided-posts.ts'
import { objectUntil, questionOfMatter } from '../handling/in-force.ts'
import { BY_WEIGHT, decidedSentence, foundHow, measureTitle, reportedPost } from './measures.ts'
import { dueOutcomes, reportPaths, takeOutcomes } from './outcomes.ts'
import { notifyOfCase } from './told.ts'

export const LETTERS_OF_CASES = 'statement'

/**
 * The letters, by the id of which row they are found, and their paragraphs. `statement`: of a decision, its
 * length, reason and rule, how it was found, how and until when to object and where else to turn (EU 2022/2065,
 * Article 17), and nothing of who reported it, how often or when. `ended`: a measure that staff lifted; people who got no statement, as the
 * reason was spam, first learn here what was done: it wasn't spam then, or not for so long.
 * `answer`: to an objection. `receipt`, `outcome`: of a report; `outcomes`: of several; `reply`: to an objection to its outcome.
 */
const LETTERS = {
  statement: {
    of: 'matter',
    says: ['post', 'measures', 'whoSees', 'ground', 'note', 'rule', 'found', 'objecting', 'bodies'],
  },
  ended: { of: 'measures', says: ['post', 'ended', 'endNote'] },
  answer: { of: 'measures', says: ['post', 'answered', 'answer'] },
  receipt: { of: 'reports', says: ['received'] },
  outcome: { of: 'reports', says: ['outcome', 'reporterNote', 'objectingOutcome'] },
  outcomes: { of: 'reports', says: ['outcomes', 'objectingOutcomes'] },
  reply: { of: 'reports', says: ['replied', 'reply'] },
} as const

type LetterAbout = keyof typeof LETTERS

export const letterKey = (about: LetterAbout, id: number) => `${about}-${id}`

/** Notifies the person whom a case is about, and writes them a letter. @param personId null: they left */
export async function tellAccused(
  write: Write,
  { caseId, personId }: { readonly caseId: number; readonly personId: number | null },
  reason: 'measure' | 'objected',
  letter: string,
): Promise<void> {
  if (personId === null) return
  await notifyOfCase(write, caseId, reason, [personId])
  await enqueue(write, LETTERS_OF_CASES, letter)
}

/** The base of links, and the time zone of people and courses that have none. */
export interface LetterPlace {
  readonly baseUrl: string
  readonly timeZone: string
}

/** The jobs that write letters about cases, after the transaction that decided them. */
export function caseLettersKind(db: Database, place: LetterPlace): Kind {
  return {
    name: LETTERS_OF_CASES,
    concurrency: 1,
    batch: 1,
    timeout: 30_000,
    plan: () => enqueueDue(db, LETTERS_OF_CASES, dueOutcomes),
    run: async ([job]) => {
      if (job === undefined) return
      const [about, named] = job.key.split('-')
      await db.transaction().execute(async (write) => {
        // The job ends with the letter, or neither does: after a crash in between it isn't written again.
        const { numDeletedRows } = await write.deleteFrom('jobs').where('id', '=', job.id).executeTakeFirst()
        if (numDeletedRows === 0n) return
        const id = Number(named)
        const letter =
          about === 'outcome'
            ? await letterOfOutcomes(write, await takeOutcomes(write, id), place)
            : await letterAbout(write, about as LetterAbout, [id], place)
        if (letter !== null) await writeMail(write, letter)
      })
    },
  }
}

const letterOfOutcomes = (write: Write, reportIds: readonly number[], place: LetterPlace) =>
  letterAbout(write, reportIds.length > 1 ? 'outcomes' : 'outcome', reportIds, place)

/**
 * A visitor's address may be a stranger's: nobody's text is in a letter to it, neither theirs nor staff's,
 * and REPORT_LETTERS says how many it gets. Who has an account and wants no email gets none about reports.
 */
async function letterAbout(
  write: Write,
  about: LetterAbout,
  ids: readonly number[],
  place: LetterPlace,
): Promise<Letter | null> {
  const { of, says } = LETTERS[about]
  const facts = await factsOf(write, of, ids)
  const [to] = facts
  if (to === undefined || to.email === null || (of === 'matter' && to.kind === null)) return null
  const isOfReport = of === 'reports'
  const { email, personId, language, title } = to
  if (personId === null && !(await countMailTo(write, email, `report-${about}`, REPORT_LETTERS))) return null
  const t = translatorOf(language)
  const host = new URL(place.baseUrl).host
  const first = BY_WEIGHT.find((weighed) => facts.some(({ kind }) => kind === weighed)) ?? 'warn'
  const what =
    about === 'statement'
      ? decidedSentence(t, first, to.about)
      : t(`caseLetters.${about}.subject`, { count: facts.length })
  const [bodies] = await prepareMarkdown([to.bodies])
  const texts = textsOf(t, to, facts, { ...place, bodiesHtml: bodies.html })
  return {
    kind: isOfReport ? `report-${about}` : 'case',
    to: email,
    personId,
    isCapped: !to.isConfirmed,
    language,
    subject: title === null || about === 'outcomes' ? what : t('caseLetters.subject', { what, title }),
    paragraphs: says.flatMap((name) => texts[name]),
    ...(await linksOf(write, about, facts, { ...place, t })),
    footer: t(isOfReport ? 'letters.footer' : 'caseLetters.footer', { host }),
  }
}

/** A receipt leads to the forum, what became of a report to its page; several outcomes each lead to theirs. */
async function linksOf(
  write: Write,
  about: LetterAbout,
  facts: readonly Facts[],
  { t, baseUrl, timeZone }: LetterPlace & { readonly t: Translate },
): Promise<Pick<Letter, 'action' | 'items'>> {
  const action = (word: string, path: string) => ({
    text: t(`caseLetters.${word}`),
    url: `${baseUrl}${path}`,
  })
  const isVisitors = facts[0]?.personId === null
  if (about === 'receipt') return { action: action('forum', '/') }
  if (LETTERS[about].of !== 'reports') return { action: action('standing', '/settings/standing') }
  const paths = await reportPaths(
    write,
    facts.flatMap(({ reportId }) => reportId ?? []),
    isVisitors,
  )
  const links = facts.map(({ reportId, ...fact }) => ({
    text: `${reportedPost(t, fact.about, fact.title, writtenMoment(fact.reportedAt, fact.timeZone ?? timeZone, t).text)}: ${t(`notifications.outcome.${fact.state}`)}`,
    url: `${baseUrl}${paths.get(reportId ?? 0)}`,
  }))
  if (about === 'outcomes')
    return {
      items: links,
      action: isVisitors ? action('forum', '/') : action('notifications', '/notifications'),
    }
  return { action: { text: t('caseLetters.report'), url: links[0]?.url ?? baseUrl } }
}

/** What a letter may say; nothing where a part of it is missing. */
function textsOf(
  t: Translate,
  to: Facts,
  facts: readonly Facts[],
  { bodiesHtml, ...place }: LetterPlace & { readonly bodiesHtml: string },
) {
  const { about, course, title, reason } = to
  const timeZone = to.timeZone ?? place.timeZone
  const said = (key: string, values: Readonly<Record<string, string | null>> = {}) => {
    const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : []))
    return given.length < Object.keys(values).length ? [] : [t(key, Object.fromEntries(given))]
  }
  const written = (at: Date | null) => at && writtenMoment(at, timeZone, t).title
  const nameOf = ({ kind, is_everywhere }: Facts) =>
    kind && measureTitle(t, { kind, is_everywhere: is_everywhere === true, about }, course)
  const measure = nameOf(to)
  const objecting = (key: string) =>
    said(key, { until: to.objectUntil && writtenDate(to.objectUntil, timeZone, t).text })
  return {
    post: said('caseLetters.post', {
      post: title === null ? null : t(`standing.postIn.${about}`, { title }),
      course,
    }),
    measures: facts.flatMap((one) => {
      const key = one.kind === 'warn' ? 'warned' : one.ends_at === null ? 'noEnd' : 'until'
      const until = key === 'until' ? { until: written(one.ends_at) } : {}
      return said(`caseLetters.${key}`, { measure: nameOf(one), ...until })
    }),
    whoSees: facts.some(({ kind }) => kind === 'hide') ? said('audience.private.own') : [],
    ground: said('caseLetters.ground', { ground: groundOf(t, reason) ?? t('reports.reason.other') }),
    note: said('caseLetters.note', { note: noteBeside(reason, to.note) }),
    rule: said('caseLetters.rule', { rule: to.rule }),
    found: [foundHow(t, to)],
    objecting: objecting('caseLetters.object'),
    bodies: linesOf(bodiesHtml),
    ended:
      reason === 'spam'
        ? said('caseLetters.endedSpam', { measure, at: written(to.starts_at) })
        : said('caseLetters.ended', { measure }),
    endNote: said('caseLetters.note', { note: to.end_note }),
    answered: said(`caseLetters.answer.${to.outcome ?? 'keep'}`, { measure }),
    answer: said('caseLetters.note', { note: to.answer }),
    received: said('caseLetters.receipt'),
    outcome: said(`caseLetters.outcome.${to.state}`),
    reporterNote: said('caseLetters.reporterNote', { note: to.personId === null ? null : to.reporter_note }),
    objectingOutcome: to.state === 'open' ? [] : objecting('caseLetters.objectOutcome'),
    outcomes: [t('caseLetters.outcomes', { count: facts.length })],
    objectingOutcomes: said('caseLetters.objectOutcomes'),
    replied: said(`caseLetters.reply.${to.outcome ?? 'keep'}`),
    reply: said('caseLetters.reporterNote', { note: to.personId === null ? null : to.answer }),
  }
}

/** Markdown of ours line by line, with the addresses of its links. */
function linesOf(html: string): string[] {
  const named = html.replace(
    /<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs,
    (_link, url: string, words: string) => (words === url ? url : `${words} (${url})`),
  )
  return plainText(named)
    .split('\n')
    .filter((one) => one !== '')
}

type Said =
  | 'about'
  | 'is_found_by_machine'
  | 'is_reported'
  | 'rule'
  | 'note'
  | 'reason'
  | 'state'
  | 'reporter_note'

/** With a measure, or a report; all null: none is meant. */
interface Facts
  extends Pick<Row<'cases'>, Said>,
    Nullable<Pick<Row<'measures'>, 'kind' | 'is_everywhere' | 'starts_at' | 'ends_at' | 'end_note'>>,
    Nullable<Pick<Row<'objections'>, 'outcome' | 'answer'>> {
  readonly reportId: number | null
  readonly reportedAt: Date
  /** null: a visitor, or nobody to write to. */
  readonly personId: number | null
  readonly email: string | null
  readonly isConfirmed: boolean
  readonly language: Language
  readonly timeZone: string | null
  readonly course: string | null
  /** Until when a measure can be objected to, or the outcome of a report; null: none is meant. */
  readonly objectUntil: Date | null
  /** Markdown: where else they can turn. */
  readonly bodies: string
  /** Of the question that the post belongs to; null: about a person, or they may not read it. */
  readonly title: string | null
}

/** What a letter goes by: a row for each of its measures or reports. */
async function factsOf(write: Write, of: (typeof LETTERS)[LetterAbout]['of'], ids: readonly number[]) {
  const isOfReport = sql.lit(of === 'reports')
  const { rows } = await sql<Facts>`
    select reports.id as "reportId", coalesce(reports.reported_at, matter.opened_at) as "reportedAt", person.id as "personId", coalesce(person.email, reports.visitor_email) as email,
      person.email_confirmed_at is not null as "isConfirmed",
      coalesce(person.language, reports.language, course.language, 'en') as language,
      coalesce(person.time_zone, course.time_zone) as "timeZone", matter.about, matter.is_reported,
      matter.is_found_by_machine, matter.state, matter.rule, matter.note, matter.reason, matter.reporter_note, course.title as course, post.title,
      measures.kind, measures.is_everywhere, measures.starts_at, measures.ends_at, measures.end_note, objections.outcome, objections.answer,
      ${objectUntil(sql`coalesce(measures.starts_at, matter.decided_at)`)} as "objectUntil", coalesce((select complaint_bodies from site_settings), '') as bodies
    from cases as matter
    left join reports on ${isOfReport} and reports.case_id = matter.id
    left join measures on not ${isOfReport} and measures.case_id = matter.id
    left join objections on objections.measure_id = measures.id or objections.report_id = reports.id
    left join people as person on person.left_at is null and case when ${isOfReport}
      then person.id = reports.person_id and person.mail_rhythm <> 'never' else person.id = matter.person_id end
    left join courses as course on course.id = matter.course_id
    left join course_members as member on member.course_id = matter.course_id and member.person_id = person.id
    left join lateral (
      select q.title from questions as q where q.id = ${questionOfMatter} and person.id is not null and (${isReadableByPerson}
        or (not ${isOfReport} and q.author_id = person.id and q.purged_at is null and ${isCourseReadableByPerson}))) as post on true
    where ${sql.ref(`${of}.id`)} = any(${[...ids]}::bigint[])
    order by measures.id, reports.id`.execute(write)
  return rows
}
