import { sql } from 'kysely'
import type { Database, Language, Row, Write } from '../../database/schema.ts'
import { owner, table } from '../../database/table.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueueDue } from '../../jobs/table.ts'
import { type Renewal, renewEach } from '../../mail/renewal.ts'
import { type Translate, translatorOf } from '../../messages/catalogue.ts'
import { deskPath } from '../../web/paths.ts'
import { countFigures } from '../figures/figures.ts'
import { formatsOf } from '../figures/formats.ts'
import { dayAfter, dayIn, USUAL_WEEKS, usualBeginning, weeksBetween } from '../figures/periods.ts'
import { type ColumnKind, shareWithinDay } from '../figures/tables.ts'
import type { Cell } from '../figures/tally.ts'
import { type Reader, readersOf } from './contents.ts'
import { renderedListMail, unsubscribeUrlOf, writeListMails } from './list-mail.ts'
import type { Mailing } from './write-news.ts'

export const staffWeeks = table(
  'staff_weeks',
  { person_id: owner },
  { key: ['person_id'], own: { things: [[]] } },
)

export const WEEK = 'week'
const VIEW = '/mailing/week'

/** The jobs that write the weekly mails to staff, Monday at eight where they are: one for each person, whose id is its key. */
export function weekKind(db: Database, mailing: Mailing): Kind {
  return {
    name: WEEK,
    concurrency: 1,
    batch: 1,
    timeout: 60_000,
    plan: () => queueWeek(db),
    run: ([job]) => db.transaction().execute((write) => writeWeek(write, Number(job?.key), mailing)),
  }
}

async function queueWeek(db: Database): Promise<void> {
  await sql`
    insert into staff_weeks (person_id, next_at)
    select distinct member.person_id, next_mail_at('weekly', coalesce(person.time_zone, 'UTC'), now())
    from course_members as member join people as person on person.id = member.person_id
    where member.role <> 'learner' and not exists (select from staff_weeks as known where known.person_id = member.person_id)
    order by 1 on conflict do nothing`.execute(db)
  await enqueueDue(
    db,
    WEEK,
    sql`select person_id as key, next_at as at from staff_weeks where next_at <= now()`,
  )
}

/** The mail of one person, and when their next one comes: three days on is in the same week, whichever zone they move to. */
async function writeWeek(write: Write, personId: number, mailing: Mailing): Promise<void> {
  const { rows } = await sql`
    update staff_weeks set next_at = next_mail_at('weekly', coalesce(person.time_zone, 'UTC'), now() + interval '3 days')
    from people as person where person.id = staff_weeks.person_id and person.id = ${personId} and next_at <= now()
    returning person.id`.execute(write)
  // Another process was first.
  if (rows.length === 0) return
  const letter = await letterFor(write, personId, mailing)
  if (letter !== null)
    await writeListMails(write, mailing, [{ ...letter, kind: WEEK, list: WEEK, isBroadcast: true }])
}

/** Writes the weekly mail again as it is sent: of the courses that the person is still staff of. */
export const renewWeek = (mailing: Mailing): Renewal =>
  renewEach(async (write, { personId }) => {
    const letter = personId === null ? null : await letterFor(write, personId, mailing)
    return letter && renderedListMail(letter.reader, letter.mail, letter)
  })

/** null: they get no mail, or are staff of no course that they want to be told of. */
async function letterFor(write: Write, personId: number, mailing: Mailing) {
  const reader = (await readersOf(write, [personId])).get(personId)
  const mail = reader === undefined ? null : await composeWeek(write, reader, mailing)
  return reader === undefined || mail === null ? null : { reader, mail, view: VIEW, text: weekText(mail) }
}

/**
 * The weekly mail to staff, ready to render as text and as HTML: views/mailing/week.eta; null: they are staff of no course that they
 * want to be told of.
 */
async function composeWeek(write: Write, reader: Reader, mailing: Mailing) {
  const courses = reader.owesSecondFactor ? [] : await coursesOf(write, reader)
  if (courses.length === 0) return null
  const language = reader.language ?? courses[0]?.language ?? 'en'
  const t = translatorOf(language)
  const weeks: Awaited<ReturnType<typeof weekOf>>[] = []
  for (const course of courses) weeks.push(await weekOf(write, course, { t, language, mailing }))
  return {
    ...{ t, language, courses: weeks },
    subject: t('mailing.week.subject', { days: weeks[0]?.days ?? '' }),
    settingsUrl: `${mailing.baseUrl}/settings/notifications`,
    unsubscribeUrl: unsubscribeUrlOf(mailing, reader.id, WEEK),
  }
}

type TaughtCourse = Pick<Row<'courses'>, 'id' | 'slug' | 'title' | 'language'> & { readonly timeZone: string }

/** The courses that the person is staff of and wants to hear of by mail, as long as they run. */
async function coursesOf(write: Write, reader: Reader): Promise<TaughtCourse[]> {
  const { rows } = await sql<TaughtCourse>`
    select course.id, course.slug, course.title, course.language, course.time_zone as "timeZone"
    from course_members as member join courses as course on course.id = member.course_id
    join people as person on person.id = member.person_id
    where person.id = ${reader.id} and member.role <> 'learner' and course.archived_at is null
      and coalesce(member.mail_rhythm, person.mail_rhythm) <> 'never' and not 'week' = any(person.mails_off)
    order by lower(course.title), course.id limit 30`.execute(write)
  return rows
}

/**
 * What the course's page of figures says of its last whole week: what waits, the median wait for staff, the share answered within a
 * day. A median of fewer than five people is that of the usual weeks instead, or not there. Nor is what has no number.
 * @returns `days`: the week, Monday to Sunday; `note`: why a figure is missing
 */
async function weekOf(
  write: Write,
  course: TaughtCourse,
  { t, language, mailing }: { readonly t: Translate; readonly language: Language; readonly mailing: Mailing },
) {
  const lastDay = dayAfter(dayIn(new Date(), course.timeZone), -7)
  const weeks = weeksBetween(lastDay, lastDay)
  const { waiting, total } = await countFigures(write, course, weeks)
  const isFew = total.firstStaffAnswer.median === 'few'
  const longer = weeksBetween(usualBeginning(lastDay), lastDay)
  const staffWait = isFew ? (await countFigures(write, course, longer)).total.firstStaffAnswer.median : null
  const { cell } = formatsOf(t, language)
  const staffName = t('figures.summary.firstStaffAnswer')
  const lines: readonly { readonly name: string; readonly value: Cell; readonly kind: ColumnKind }[] = [
    { name: t('figures.summary.waiting'), value: waiting, kind: 'count' },
    isFew
      ? {
          name: t('mailing.week.longer', { name: staffName, weeks: USUAL_WEEKS }),
          value: staffWait,
          kind: 'seconds',
        }
      : { name: staffName, value: total.firstStaffAnswer.median, kind: 'seconds' },
    { name: t('figures.summary.withinDay'), value: shareWithinDay(total), kind: 'share' },
  ]
  return {
    title: course.title,
    lang: course.language,
    url: `${mailing.baseUrl}${deskPath(course.slug)}`,
    days: `${cell(weeks.from, 'day')} – ${cell(weeks.to, 'day')}`,
    figures: lines.flatMap(({ name, value, kind }) =>
      value === null || value === 'few' ? [] : [{ name, text: cell(value, kind) }],
    ),
    note: staffWait === 'few' ? t('mailing.week.withheld') : null,
  }
}

export type WeekMail = NonNullable<Awaited<ReturnType<typeof composeWeek>>>

function weekText({ t, courses, settingsUrl, unsubscribeUrl }: WeekMail): string {
  const lists = courses.map(({ title, days, url, figures, note }) => {
    const lines = figures.map(({ name, text }) => `${name}: ${text}`)
    return [`# ${title}\n${days}`, ...lines, ...(note === null ? [] : [note]), url].join('\n')
  })
  const end = [
    t('mailing.week.why'),
    `${t('mailing.settings')}: ${settingsUrl}`,
    `${t('mailing.week.end')}: ${unsubscribeUrl}`,
  ].join('\n')
  return `${[...lists, `-- \n${end}`].join('\n\n')}\n`
}
