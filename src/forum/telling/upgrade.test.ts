import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import { migrate } from '../../database/migrate.ts'
import type { Database } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { anAnswer } from '../../testing/builders.ts'
import { newDatabase } from '../../testing/database.ts'
import { anEarlierTalk, becomeEarlier } from '../../testing/earlier-release.ts'
import { MAILING, writeMails } from '../mailing/testing.ts'
import { pushKind } from '../pushing/send-push.ts'
import { aPushBrowser, KEYS } from '../pushing/testing.ts'

/** When 0.3.0 told `person`, a follower of the question, of an answer that came at a time; null: by no email and no push. */
const earlierRule = (at: string) => `case when not 'followed' = any(person.mails_off) then next_mail_at(
  coalesce(member.mail_rhythm, person.mail_rhythm), coalesce(person.time_zone, course.time_zone), ${at}) end`

test('whatever people chose in 0.3.0, an upgrade changes nothing of what they are told, and loses and repeats nothing', async (t) => {
  const { db } = await newDatabase(t)
  await becomeEarlier(db)
  const talk = await anEarlierTalk(db)
  const browsers = await everyChoice(db, talk.courseId, talk.questionId)
  const owed = await noticeAsEarlier(db, talk.questionId)
  const earlier = await toldBy(db, earlierRule('notice.unmailed_since'), talk.questionId)
  await migrate(db)

  assert.deepEqual(await windows(db), earlier)
  const pushed: string[] = []
  const told = async () => {
    pushed.length = 0
    await db.deleteFrom('mails').execute()
    await writeMails(db)
    const post = async ({ endpoint }: { readonly endpoint: string }) => {
      pushed.push(browsers.get(endpoint) ?? assert.fail())
      return 201
    }
    const pushing = { baseUrl: MAILING.baseUrl, mailFrom: 'f@x.example', soonSeconds: 0, post }
    await doJobs(db, pushKind(db, { ...pushing, keys: async () => KEYS }))
    const { rows } = await sql<{ name: string }>`
      select display_name as name from mails join people on people.id = person_id`.execute(db)
    return { mailed: rows.map(({ name }) => name).toSorted(), pushed: pushed.toSorted() }
  }
  const soon = earlier.filter(({ isSoon }) => isSoon)
  const namesOf = (channel: string) => soon.filter((one) => one.channel === channel).map(({ name }) => name)
  const wanted = { mailed: namesOf('email').toSorted(), pushed: namesOf('push').toSorted() }
  assert.equal(wanted.pushed.length, 5)
  assert.ok(owed > wanted.mailed.length)
  assert.deepEqual(await told(), wanted)
  assert.deepEqual(await told(), { mailed: [], pushed: [] }, 'nothing twice')

  // What comes after the upgrade: the digests that are open stay open.
  await anAnswer(db, { question: { ...talk, id: talk.questionId, title: 'What is a hypermedia control?' } })
  assert.deepEqual(await windows(db), await toldBy(db, earlierRule('notice.happened_at'), talk.questionId))
  assert.deepEqual(await told(), wanted)
})

/** Followers with every combination of choices, each once with a browser that takes pushes. @returns names by the browsers' addresses */
async function everyChoice(db: Database, courseId: number, questionId: number) {
  await sql`
    with made as (
      insert into people (display_name, email, email_confirmed_at, mail_rhythm, mails_off)
      select concat_ws(' ', rhythm, coalesce(in_course, 'default'), kind, browser),
        concat_ws('-', rhythm, coalesce(in_course, 'default'), kind, browser) || '@example.com', now(), rhythm,
        case kind when 'off' then array['followed'] else '{}' end
      from unnest(array['soon', 'daily', 'weekly', 'never']) as rhythm
      cross join unnest(array['soon', 'daily', 'weekly', 'never', null]) as in_course
      cross join unnest(array['on', 'off']) as kind cross join unnest(array['browser', 'none']) as browser
      returning id, display_name)
    , joined as (
      insert into course_members (course_id, person_id, role, mail_rhythm)
      select ${courseId}::bigint, id, 'learner', nullif(split_part(display_name, ' ', 2), 'default') from made)
    insert into question_follows (question_id, person_id)
      select ${questionId}::bigint, id from made`.execute(db)
  const people = await db.selectFrom('people').select(['id', 'display_name as name']).execute()
  const names = new Map<string, string>()
  for (const { id, name } of people.filter((one) => one.name.endsWith('browser'))) {
    const { subscription } = aPushBrowser(randomBytes(6).toString('hex'))
    await beginSession(db, id, 'a test')
    await sql`
      insert into push_subscriptions (token_hash, person_id, endpoint, p256dh, auth, server_key)
      select token_hash, person_id, ${subscription.endpoint}, ${subscription.p256dh}, ${subscription.auth}, ${KEYS.publicKey}
      from sessions where person_id = ${id}`.execute(db)
    names.set(subscription.endpoint, name)
  }
  return names
}

/** Notifies the followers of the answer as 0.3.0 did. @returns how many wait for an email */
async function noticeAsEarlier(db: Database, questionId: number): Promise<number> {
  const { rows } = await sql<{ due: Date | null }>`
    insert into notifications (person_id, question_id, reason, since_at, happened_at, due_at, unmailed_since)
    select person.id, ${questionId}, 'followed', answer.written_at, answer.written_at, mail.due_at,
      case when mail.due_at is not null then answer.written_at end
    from question_follows as follow join people as person on person.id = follow.person_id
    join questions as q on q.id = follow.question_id join answers as answer on answer.question_id = q.id
    join courses as course on course.id = q.course_id
    join course_members as member on member.course_id = course.id and member.person_id = person.id
    cross join lateral (select ${sql.raw(earlierRule('answer.written_at'))} as due_at) as mail
    returning due_at as due`.execute(db)
  return rows.filter(({ due }) => due !== null).length
}

interface Telling {
  readonly name: string
  readonly channel: string
  readonly at: string
  readonly isSoon: boolean
}

/** What 0.3.0 would tell whom and when: pushes went out with emails. */
async function toldBy(db: Database, rule: string, questionId: number): Promise<Telling[]> {
  const { rows } = await sql<Telling>`
    select person.display_name as name, way.channel, due.at::text as at, due.at <= now() as "isSoon"
    from notifications as notice join people as person on person.id = notice.person_id
    join questions as q on q.id = notice.question_id join courses as course on course.id = q.course_id
    join course_members as member on member.course_id = course.id and member.person_id = person.id
    cross join (values ('email'), ('push')) as way (channel)
    cross join lateral (select (${sql.raw(rule)})::timestamptz(3) as at) as due
    where notice.question_id = ${questionId} and due.at is not null and (way.channel = 'email' or exists (
      select from push_subscriptions as browser where browser.person_id = person.id))
    order by 1, 2`.execute(db)
  return rows
}

async function windows(db: Database): Promise<Telling[]> {
  const { rows } = await sql<Telling>`
    select person.display_name as name, channel, ends_at::text as at, ends_at <= now() as "isSoon"
    from delivery_windows as closing join people as person on person.id = closing.person_id
    order by 1, 2`.execute(db)
  return rows
}
