import { sql } from 'kysely'
import type { CaseState, Database, Language, Row, Write } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { REPORT_LETTERS } from '../../kernel/limits.ts'
import { isCourseReadableByPerson, isReadableByPerson } from '../../kernel/rights/visibility.ts'
import type { Letter } from '../../mail/letter.ts'
import { countMailTo, writeMail } from '../../mail/write-mail.ts'
import { type Translate, translatorOf } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { groundOf, noteBeside } from '../handling/decided-posts.ts'
import { BY_WEIGHT, decidedSentence, measureTitle } from './measures.ts'
import { questionOfMatter } from './subject.ts'

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
    run: async ([job]) => {
      if (job === undefined) return
      const [about, id] = job.key.split('-')
      await db.transaction().execute(async (write) => {
        // The job ends with the letter, or neither does: after a crash in between it isn't written again.
        const { numDeletedRows } = await write.deleteFrom('jobs').where('id', '=', job.id).executeTakeFirst()
        if (numDeletedRows === 0n) return
        const letter = await LETTERS[about as LetterAbout]?.(write, Number(id), place)
        if (letter !== null && letter !== undefined) await writeMail(write, letter)
      })
    },
  }
}

type Compose = (write: Write, id: number, place: LetterPlace) => Promise<Letter | null>

const LETTERS: Readonly<Record<LetterAbout, Compose>> = {
  statement: statementLetter,
  ended: (write, id, place) => aboutMeasure(write, id, place, 'ended'),
  answer: (write, id, place) => aboutMeasure(write, id, place, 'answer'),
  receipt: (write, id, place) => reporterLetter(write, id, place, 'receipt'),
  outcome: (write, id, place) => reporterLetter(write, id, place, 'outcome'),
}

interface Addressed extends Pick<Row<'cases'>, 'about' | 'rule' | 'note' | 'reason'> {
  readonly personId: number
  readonly email: string | null
  readonly isConfirmed: boolean
  readonly language: Language
  readonly timeZone: string | null
  readonly isReported: boolean
  readonly course: string | null
  /** Of the question that the post belongs to; null: about a person, or they may not read it. */
  readonly title: string | null
}

const addressed = sql`
  person.id as "personId", person.email, person.email_confirmed_at is not null as "isConfirmed",
  coalesce(person.language, course.language, 'en') as language, coalesce(person.time_zone, course.time_zone) as "timeZone",
  matter.about, matter.is_reported as "isReported", course.title as course, matter.rule, matter.note, matter.reason, post.title`
const joinAddressed = sql`
  join people as person on person.id = matter.person_id and person.left_at is null
  left join courses as course on course.id = matter.course_id
  left join course_members as member on member.course_id = matter.course_id and member.person_id = person.id
  left join lateral (
    select q.title from questions as q where q.id = ${questionOfMatter} and (${isReadableByPerson}
      or (q.author_id = person.id and q.purged_at is null and ${isCourseReadableByPerson}))) as post on true`

type MeasureFacts = Pick<Row<'measures'>, 'kind' | 'is_everywhere' | 'ends_at'>

/**
 * Writes the statement of a decision: the post, its length, reason and rule, how it was found and how to object
 * (EU 2022/2065, Article 17). Nothing of who reported it, how often or when.
 */
async function statementLetter(write: Write, caseId: number, place: LetterPlace): Promise<Letter | null> {
  const { rows } =
    await sql<Addressed>`select ${addressed} from cases as matter ${joinAddressed} where matter.id = ${caseId}`.execute(
      write,
    )
  const [to] = rows
  if (to === undefined || to.email === null) return null
  const measures = await write
    .selectFrom('measures')
    .select(['kind', 'is_everywhere', 'ends_at'])
    .where('case_id', '=', caseId)
    .orderBy('id')
    .execute()
  if (measures.length === 0) return null
  const t = translatorOf(to.language)
  const kinds = measures.map(({ kind }) => kind)
  const [first = 'warn'] = BY_WEIGHT.filter((kind) => kinds.includes(kind))
  const paragraphs = [
    ...postLines(t, to),
    ...measures.map((measure) => measureLine(t, measure, to, place)),
    ...(kinds.includes('hide') ? [t('audience.private.own')] : []),
    ...reasonLines(t, to),
    t(to.isReported ? 'standing.found.report' : 'standing.found.staff'),
    t('caseLetters.object'),
  ]
  return letterTo(t, to, place, { what: decidedSentence(t, first, to.about), paragraphs })
}

function measureLine(t: Translate, measure: MeasureFacts, to: Addressed, place: LetterPlace): string {
  const title = measureTitle(t, { ...measure, about: to.about, course: to.course })
  if (measure.kind === 'warn') return t('caseLetters.warned', { measure: title })
  if (measure.ends_at === null) return t('caseLetters.noEnd', { measure: title })
  const until = writtenMoment(measure.ends_at, to.timeZone ?? place.timeZone, t).title
  return t('caseLetters.until', { measure: title, until })
}

/** Names the post; nothing where its title isn't for them. */
function postLines(t: Translate, { about, title, course }: Addressed): string[] {
  if (title === null || course === null) return []
  return [t('caseLetters.post', { post: t(`standing.postIn.${about}`, { title }), course })]
}

function reasonLines(t: Translate, { rule, reason, ...to }: Addressed): string[] {
  const [ground, note] = [groundOf(t, reason), noteBeside(reason, to.note)]
  return [
    ...(ground === null ? [] : [t('caseLetters.ground', { ground })]),
    ...(note === '' ? [] : [t('caseLetters.note', { note })]),
    ...(rule === '' ? [] : [t('caseLetters.rule', { rule })]),
  ]
}

interface EndedFacts extends Addressed, MeasureFacts {
  /** Of spam nobody gets a statement. */
  readonly isSpam: boolean
  readonly startsAt: Date
  readonly endNote: string
  readonly outcome: 'keep' | 'lift' | null
  readonly answer: string | null
}

/**
 * Writes that a measure was lifted, or the answer to an objection. People who got no statement, as the reason was spam, first learn here
 * what was done: it wasn't spam then, or not for so long (EU 2022/2065, Article 17).
 */
async function aboutMeasure(write: Write, measureId: number, place: LetterPlace, about: 'ended' | 'answer') {
  const { rows } = await sql<EndedFacts>`
    select ${addressed}, measures.kind, measures.is_everywhere, measures.ends_at, measures.end_note as "endNote", objections.outcome,
      objections.answer, matter.reason = 'spam' as "isSpam", measures.starts_at as "startsAt"
    from measures join cases as matter on matter.id = measures.case_id ${joinAddressed}
    left join objections on objections.measure_id = measures.id
    where measures.id = ${measureId}`.execute(write)
  const [to] = rows
  if (to === undefined || to.email === null) return null
  const t = translatorOf(to.language)
  const measure = measureTitle(t, to)
  const said = about === 'ended' ? to.endNote : (to.answer ?? '')
  const sentence =
    about === 'ended'
      ? endedLine(t, measure, to, place)
      : t(`caseLetters.answer.${to.outcome ?? 'keep'}`, { measure })
  const paragraphs = [
    ...postLines(t, to),
    sentence,
    ...(said === '' ? [] : [t('caseLetters.note', { note: said })]),
  ]
  return letterTo(t, to, place, { what: t(`caseLetters.${about}.subject`), paragraphs })
}

function endedLine(
  t: Translate,
  measure: string,
  { isSpam, startsAt, timeZone }: EndedFacts,
  place: LetterPlace,
) {
  if (!isSpam) return t('caseLetters.ended', { measure })
  return t('caseLetters.endedSpam', {
    measure,
    at: writtenMoment(startsAt, timeZone ?? place.timeZone, t).title,
  })
}

function letterTo(
  t: Translate,
  to: Addressed,
  { baseUrl }: LetterPlace,
  { what, paragraphs }: Pick<Letter, 'paragraphs'> & { readonly what: string },
): Letter {
  return {
    kind: 'case',
    to: to.email ?? '',
    personId: to.personId,
    isCapped: !to.isConfirmed,
    language: to.language,
    subject: subjectOf(t, what, to.title),
    paragraphs,
    action: { text: t('caseLetters.standing'), url: `${baseUrl}/settings/standing` },
    footer: t('caseLetters.footer', { host: new URL(baseUrl).host }),
  }
}

const subjectOf = (t: Translate, what: string, title: string | null) =>
  title === null ? what : t('caseLetters.subject', { what, title })

/** `title` null: a visitor's report, or they may not read the post any more. */
interface ReportFacts extends Pick<Addressed, 'email' | 'isConfirmed' | 'language' | 'title'> {
  readonly personId: number | null
  readonly state: CaseState
  readonly reporterNote: string
}

/**
 * To a visitor who left an address: that a report came, and what became of it. Nobody's text is in it, neither theirs nor staff's, as
 * the address may be a stranger's; and no more mails of each than REPORT_LETTERS allows. To a person with an account what became of it, with
 * what staff wrote to them, unless they want no email.
 */
async function reporterLetter(
  write: Write,
  reportId: number,
  { baseUrl }: LetterPlace,
  about: 'receipt' | 'outcome',
): Promise<Letter | null> {
  const { rows } = await sql<ReportFacts>`
    select person.id as "personId", coalesce(person.email, reports.visitor_email) as email,
      person.email_confirmed_at is not null as "isConfirmed", coalesce(person.language, reports.language) as language, matter.state,
      case when person.id is null then '' else matter.reporter_note end as "reporterNote", post.title
    from reports join cases as matter on matter.id = reports.case_id
    left join people as person on person.id = reports.person_id and person.left_at is null and person.mail_rhythm <> 'never'
    left join courses as course on course.id = matter.course_id
    left join course_members as member on member.course_id = matter.course_id and member.person_id = person.id
    left join lateral (select q.title from questions as q where q.id = ${questionOfMatter} and ${isReadableByPerson}) as post
      on person.id is not null
    where reports.id = ${reportId}`.execute(write)
  const [to] = rows
  if (to === undefined || to.email === null) return null
  if (to.personId === null && !(await countMailTo(write, to.email, `report-${about}`, REPORT_LETTERS)))
    return null
  const t = translatorOf(to.language)
  const sentence = about === 'receipt' ? t('caseLetters.receipt') : t(`caseLetters.outcome.${to.state}`)
  return {
    kind: `report-${about}`,
    to: to.email,
    personId: to.personId,
    isCapped: !to.isConfirmed,
    language: to.language,
    subject: subjectOf(t, t(`caseLetters.${about}.subject`), to.title),
    paragraphs: [
      sentence,
      ...(to.reporterNote === '' ? [] : [t('caseLetters.reporterNote', { note: to.reporterNote })]),
    ],
    action: {
      text: t('caseLetters.forum'),
      url: `${baseUrl}/${to.personId === null ? '' : 'notifications'}`,
    },
    footer: t('letters.footer', { host: new URL(baseUrl).host }),
  }
}

export const LETTERS_OF_CASES = 'statement'

/**
 * The kinds of letters. 'statement': the decision of a case, to the person it is about. 'receipt', 'outcome': of a report, to a
 * visitor. 'ended': a measure that staff lifted. 'answer': to an objection, by the id of its measure.
 */
type LetterAbout = 'statement' | 'receipt' | 'outcome' | 'ended' | 'answer'

export const letterKey = (about: LetterAbout, id: number) => `${about}-${id}`
