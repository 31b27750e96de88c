import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { doJobs } from '../../jobs/do-jobs.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply, type MadeCourse } from '../../testing/builders.ts'
import { setPromise } from '../../testing/courses.ts'
import { aForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { archiveCourse } from '../course-settings/operations.ts'
import { unseenNotifications } from '../notifications/queries.ts'
import { setResolution } from '../posts/resolution.ts'
import { promiseKind } from '../telling/reminders.ts'
import { sayDone } from './done.ts'
import { setDuplicate } from './duplicates.ts'
import { snoozeQuestion } from './snooze.ts'

type Forum = Awaited<ReturnType<typeof aForum>>

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)
const WAITING = 6

suite('what waits is the same number everywhere', () => {
  test('on the desk, in its tabs and the bar, in the list of desks, in analytics and in what staff are told', async (t) => {
    const forum = await aForum(t)
    const { app, db } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'instructor')
    await aMember(db, await aCourse(db), 'assistant', staff)
    await ofEachKind(forum, course, staff)
    await setPromise(db, course.id, 24)
    const browser = await signedIn(app, staff)

    assert.deepEqual(await shown(browser, course), {
      tabs: { waiting: WAITING, mine: 0, classmates: 1, asker: 1, snoozed: 1, closed: 1 },
      bar: WAITING,
      desks: `${course.title} ${WAITING} waiting`,
      analytics: String(WAITING),
    })
    assert.equal(await doJobs(db, promiseKind(db)), 1)
    const told = (await unseenNotifications(db, staff.id, null)).filter(({ reason }) => reason === 'promise')
    assert.deepEqual(valuesOf(told, 'waitingCount'), [WAITING])

    await within(db, archiveCourse, course.id, true)
    assert.deepEqual(await shown(browser, course), {
      tabs: { waiting: 0, mine: 0, classmates: 0, asker: 0, snoozed: 0, closed: 0 },
      bar: 0,
      desks: `${course.title} Archived`,
      analytics: '0',
    })
    await sql`update question_desk set told_due_on = told_due_on - 1`.execute(db)
    assert.equal(await doJobs(db, promiseKind(db)), 0)
  })
})

/** WAITING questions that wait, and one of each kind that does not. */
async function ofEachKind({ db }: Forum, course: MadeCourse, staff: { readonly id: number }): Promise<void> {
  const asked = async (title: string) =>
    aQuestion(db, { course, title, author: await aMember(db, course), writtenAt: ago(30) })
  const answered = async (title: string) => {
    const question = await asked(title)
    await anAnswer(db, { question, author: staff, writtenAt: ago(20) })
    return question
  }
  const thanks = { body: 'Thanks!', writtenAt: ago(10) }
  const waiting = []
  for (let number = 1; number <= WAITING; number += 1) waiting.push(await asked(`Waits ${number}`))
  await within(db, snoozeQuestion, (await asked('Snoozed')).id, { day: '2999-01-01', timeZone: 'UTC' })
  const thanked = await answered('Thanked')
  await aReply(db, { question: thanked, author: { id: thanked.authorId }, ...thanks })
  await within(db, sayDone, thanked.id, staff.id)
  const resolved = await answered('Resolved')
  await within(db, setResolution, resolved.id, 'resolved')
  await aReply(db, { question: resolved, author: { id: resolved.authorId }, body: 'One more thing.' })
  await within(db, setDuplicate, {
    ...{ questionId: (await asked('Duplicate')).id, actorId: staff.id },
    originalId: waiting[0]?.id ?? 0,
  })
  await aReply(db, { question: await asked('Asked back'), author: staff, body: 'Which version?' })
  await anAnswer(db, { question: await asked('By a classmate'), author: await aMember(db, course) })
  const { id } = await asked('Imported')
  await sql`insert into imported_posts (course_id, kind, source_id, question_id) values (${course.id}, 'question', 1, ${id})`.execute(
    db,
  )
  await sql`select refresh_desks(array[${id}::bigint])`.execute(db)
}

/** The numbers that the pages of the staff show. */
async function shown(browser: Browser, { slug, title }: MadeCourse) {
  const { body } = await browser.get(`/courses/${slug}/desk`)
  const part = (from: string, end: string) => body.split(from)[1]?.split(end)[0] ?? assert.fail(from)
  const names = ['waiting', 'mine', 'classmates', 'asker', 'snoozed', 'closed']
  const tabs = part('data-part="desk-tabs"', '</nav>').split('<a ').slice(1)
  const numberIn = (html = '') => Number(/> (\d+)<\/span>/.exec(html)?.[1] ?? 0)
  const desks = textOf((await browser.get('/desk')).body)
  const analytics = textOf((await browser.get(`/courses/${slug}/figures`)).body)
  return {
    tabs: Object.fromEntries(names.map((name, at) => [name, numberIn(tabs[at])])),
    bar: numberIn(/<a [^>]*\/desk"[^>]*>.*?<\/a>/s.exec(part('class="course-bar', '</nav>'))?.[0]),
    desks: new RegExp(`${title} (\\d+ waiting|Archived)`).exec(desks)?.[0],
    analytics: /Waiting now (\S+)/.exec(analytics)?.[1] ?? /(\S+) Waiting now/.exec(analytics)?.[1],
  }
}
