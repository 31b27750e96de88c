import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { finishDepartures } from '../../accounts/deletion/departure.ts'
import { leave } from '../../accounts/deletion/testing.ts'
import type { Database, Rhythm } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
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
import { setPromise } from '../../testing/courses.ts'
import { passTime } from '../../testing/pass-time.ts'
import {
  anAnnouncement,
  aText,
  deleteAnswer,
  deleteQuestion,
  deleteReply,
  restoreQuestion,
} from '../../testing/posts.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { setAcceptance } from '../answers/acceptance.ts'
import { setEndorsement } from '../answers/endorsement.ts'
import { addMember } from '../courses/commands.ts'
import { removeMember } from '../courses/roles.ts'
import { type Place, setFollowing, setPlaceFollowing } from '../follows/following.ts'
import { unnameIn } from '../people/unname.ts'
import { editText } from '../posts/text.ts'
import { openQuestion, withdrawQuestion } from '../questions/audience.ts'
import { markAllSeen, markAnnouncementRead, markRead } from '../telling/read.ts'
import { promiseKind } from '../telling/reminders.ts'
import { saveMailChoices } from './choices.ts'
import { expectBells, expectMails } from './told-testing.ts'
import { GROUPS, type Group, type Item, type Post, Wishes } from './wishes-testing.ts'

/** What somebody can do. Some more often than others. */
export const ACTS = [
  ...['answer', 'answer', 'reply', 'reply', 'reply under', 'mention', 'mention', 'ask', 'announce'],
  ...['edit', 'mention by edit', 'delete', 'accept', 'unaccept', 'endorse', 'unendorse'],
  ...['read', 'read news', 'read all', 'follow', 'mute', 'end', 'follow places', 'end places'],
  ...['rhythm', 'rhythm', 'course rhythm', 'kinds off', 'kinds on'],
  ...['withdraw', 'open', 'delete question', 'restore question'],
  ...['promote', 'demote', 'leave course', 'join', 'delete account', 'promise'],
  ...['week', 'mail', 'mail', 'mail', 'mail'],
] as const
export type ActKind = (typeof ACTS)[number]

export interface Act {
  readonly kind: string
  readonly person: number
  /** Another person, or another number to choose by. */
  readonly other: number
  readonly question: number
}

/** Who writes everything without their name, as long as they are no staff. */
export const HIDDEN = 2
const TEACHER = 4
const ROLES = ['learner', 'learner', 'learner', 'assistant', 'instructor'] as const
const RHYTHMS: readonly Rhythm[] = ['soon', 'soon', 'daily', 'weekly', 'never']
/** When something happened to a question, or in it. */
const TIMES = {
  answers: ['written_at', 'edited_at', 'endorsed_at'],
  replies: ['written_at', 'edited_at'],
  questions: ['written_at', 'edited_at', 'active_at', 'resolved_at', 'reopened_at', 'closed_at'],
  question_reads: ['read_at'],
  question_desk: ['waiting_since', 'told_due_since', 'asked_at'],
}
const GROUP_NAMES = Object.keys(GROUPS) as Group[]

/** A course with five people, what they do in it, and what they have to be told of it. */
export class Play {
  readonly wishes = new Wishes(ROLES)
  /** How much mails told, by kind. */
  readonly told = new Map<Item['kind'], number>()
  private readonly db: Database
  private readonly course: MadeCourse
  private readonly people: readonly MadePerson[]
  private readonly tagId: number
  private readonly made: MadeQuestion[] = []
  private readonly turns = new Map<number, string>()
  private weeks = 0
  private written = 0

  private constructor(db: Database, course: MadeCourse, people: readonly MadePerson[], tagId: number) {
    this.db = db
    this.course = course
    this.people = people
    this.tagId = tagId
  }

  /** Two questions are there. */
  static async begin(db: Database): Promise<Play> {
    const course = await aCourse(db, { isPublic: false, lectures: ['One'] })
    await setPromise(db, course.id, 1)
    const people: MadePerson[] = []
    for (const [number, role] of ROLES.entries()) {
      const person = await aPerson(db, number === HIDDEN ? { displayName: 'Zyxhidden' } : {})
      people.push(await aMember(db, course, role, person))
    }
    const { rows } = await sql<{ id: number }>`
      insert into tags (name) values (${`tag${course.id}`}) returning id`.execute(db)
    const play = new Play(db, course, people, rows[0]?.id ?? 0)
    for (const person of [0, HIDDEN]) await play.perform({ kind: 'ask', person, other: person, question: 0 })
    return play
  }

  async perform(act: Act): Promise<void> {
    const { wishes } = this
    const { kind, person } = act
    const question = act.question === 0 ? 0 : wishes.questions.length - 1
    if (kind === 'week') return this.passWeek()
    if (kind === 'mail') return this.check()
    if (kind === 'promise') return this.tellPromises()
    if (wishes.person(person).hasLeft) return
    if (kind === 'join') return this.join(person)
    if (wishes.person(person).role === null) return this.choose(kind, act)
    if (kind === 'ask') return this.ask(person, act.other)
    if (kind === 'announce') return this.announce()
    if (['promote', 'demote', 'leave course', 'delete account'].includes(kind))
      return this.changeRole(kind, person)
    if (question >= 0 && wishes.reads(person, question)) await this.actIn(kind, act, question)
    else if (question >= 0 && kind === 'restore question') await this.restore(question)
    await this.choose(kind, act)
  }

  private id(person: number): number {
    return this.people[person]?.id ?? assert.fail(`nobody is ${person}`)
  }

  private body(mentioned: number | null): string {
    this.written += 1
    const name = mentioned === null ? '' : ` @[Somebody](person:${this.id(mentioned)})`
    return `Course${this.course.id}post${this.written}.${name}`
  }

  private async ask(author: number, other: number): Promise<void> {
    const { wishes } = this
    if (wishes.questions.length > 3) return
    const [lecture, tag, isPrivate, body] = [other === 0, other === 2, other === 3, this.body(null)]
    const question = await aQuestion(this.db, {
      ...{ course: this.course, author: { id: this.id(author) }, body },
      ...{ title: `Topic${wishes.questions.length}x`, isAnonymous: author === HIDDEN },
      audience: isPrivate ? 'staff' : 'course',
      tags: tag ? [`tag${this.course.id}`] : [],
      ...(lecture && { lectureId: this.course.lectureIds[0] ?? 0 }),
    })
    this.made.push(question)
    const number = wishes.questions.length
    wishes.questions.push({
      ...{ id: question.id, asker: author, lecture, tag, isPrivate },
      ...{ isDeleted: false, accepted: null, endorsed: new Set() },
    })
    this.note({ kind: 'question', id: question.id, question: number, author, body })
  }

  private async announce(): Promise<void> {
    const body = this.body(null)
    const news = { courseId: this.course.id, authorId: this.id(TEACHER), title: 'News', body }
    const id = await anAnnouncement(this.db, news)
    this.note({ kind: 'announcement', id, question: null, author: TEACHER, body })
  }

  private note(
    post: Pick<Post, 'kind' | 'id' | 'question' | 'author' | 'body'> &
      Partial<Pick<Post, 'under' | 'mentioned'>>,
  ): void {
    this.wishes.write({
      ...{ under: null, mentioned: null, formerBodies: [], isMentionAdded: false, isDeleted: false },
      ...post,
    })
  }

  /** Whatever somebody does in a question that they read. */
  private async actIn(kind: string, { person, other }: Act, number: number): Promise<void> {
    const { db, wishes } = this
    const question = this.made[number] ?? assert.fail()
    const known = wishes.question(number)
    const own = wishes.posts.filter(
      (post) => post.question === number && post.kind !== 'question' && !post.isDeleted,
    )
    const answers = own.filter((post) => post.kind === 'answer')
    const last = own.findLast((post) => post.author !== null && !wishes.person(post.author).hasLeft)
    const answer = answers.at(-1)
    if (kind === 'answer' || kind === 'reply') await this.post(kind, person, number, null, null)
    else if (kind === 'reply under' && answer !== undefined)
      await this.post('reply', person, number, answer, null)
    else if (kind === 'mention' && other !== person && other !== HIDDEN && !wishes.person(other).hasLeft)
      await this.post('reply', person, number, null, other)
    else if (kind === 'edit' && last !== undefined) await this.edit(last, question, last.mentioned)
    else if (kind === 'mention by edit' && last !== undefined && other !== HIDDEN)
      await this.edit(last, question, other === last.author || wishes.person(other).hasLeft ? null : other)
    else if (kind === 'delete' && last !== undefined) {
      await within(db, last.kind === 'answer' ? deleteAnswer : deleteReply, question.id, last.id)
      last.isDeleted = true
      if (known.accepted === last) known.accepted = null
    } else if (kind === 'accept' && answer !== undefined && !wishes.person(known.asker).hasLeft) {
      await within(db, setAcceptance, question.id, answer.id, true, this.id(known.asker))
      if (known.accepted !== answer && answer.author !== null && answer.author !== known.asker) {
        known.accepted = answer
        wishes.said(answer.author, number, 'accepted', answer)
      }
      known.accepted = answer
    } else if (kind === 'unaccept' && known.accepted !== null) {
      await within(db, setAcceptance, question.id, known.accepted.id, false)
      known.accepted = null
    } else if (kind === 'endorse' && answer !== undefined && !known.endorsed.has(answer)) {
      await within(db, setEndorsement, question.id, answer.id, this.id(TEACHER))
      known.endorsed.add(answer)
      if (answer.author !== null && answer.author !== TEACHER)
        wishes.said(answer.author, number, 'endorsed', answer)
    } else if (kind === 'unendorse' && answer !== undefined) {
      await within(db, setEndorsement, question.id, answer.id, null)
      known.endorsed.delete(answer)
    } else if (kind === 'read') {
      await within(db, markRead, question.id, this.id(person), sql<Date>`now()`)
      wishes.see(person, number)
    } else if (kind === 'follow' || kind === 'mute' || kind === 'end') {
      await within(db, setFollowing, question.id, this.id(person), kind === 'end' ? 'none' : kind)
      wishes.setLevel(person, number, kind === 'end' ? null : kind)
    } else if (kind === 'withdraw') {
      await within(db, withdrawQuestion, question.id)
      known.isPrivate = true
    } else if (kind === 'open') {
      await within(db, openQuestion, question.id, null)
      known.isPrivate = false
    } else if (kind === 'delete question') {
      await within(db, deleteQuestion, question.id)
      known.isDeleted = true
    }
  }

  private async restore(number: number): Promise<void> {
    const known = this.wishes.question(number)
    if (!known.isDeleted) return
    await within(this.db, restoreQuestion, known.id)
    known.isDeleted = false
    if (known.accepted?.isDeleted === true) known.accepted = null
  }

  private async post(
    kind: 'answer' | 'reply',
    author: number,
    number: number,
    under: Post | null,
    mentioned: number | null,
  ): Promise<void> {
    const question = this.made[number] ?? assert.fail()
    const body = this.body(mentioned)
    const common = { author: { id: this.id(author) }, body, isAnonymous: author === HIDDEN }
    const parent = under === null ? { question } : { answer: { id: under.id, authorId: 0, question } }
    const { id } =
      kind === 'answer'
        ? await anAnswer(this.db, { ...common, question })
        : await aReply(this.db, { ...common, ...parent })
    this.note({ kind, id, question: number, author, body, under, mentioned })
  }

  private async edit(post: Post, question: MadeQuestion, mentioned: number | null): Promise<void> {
    const table = post.kind === 'answer' ? 'answers' : 'replies'
    const editor = post.author ?? assert.fail()
    const { version } = await rowOf(this.db, table, post.id)
    const body = this.body(mentioned)
    const edit = { body: await aText(body), version, actorId: this.id(editor), isByStaff: false }
    const key = { id: post.id, questionId: question.id }
    assert.equal(await within(this.db, editText, table, key, edit), 'done')
    // What was endorsed is another text now.
    this.wishes.question(post.question ?? -1).endorsed.delete(post)
    this.wishes.edited(post, editor, body, mentioned)
  }

  /** Settings, and what one follows beside questions. */
  private async choose(kind: string, { person, other }: Act): Promise<void> {
    const { db, wishes } = this
    const [somebody, id] = [wishes.person(person), this.id(person)]
    const save = (choices: Partial<Parameters<typeof saveMailChoices>[2]>) =>
      within(db, saveMailChoices, id, { courses: new Map(), isResumed: false, ...choices })
    const group = GROUP_NAMES[(other + person) % GROUP_NAMES.length] ?? 'posts'
    if (kind === 'rhythm') {
      somebody.rhythm = RHYTHMS[other] ?? 'soon'
      await save({ rhythm: somebody.rhythm })
    } else if (kind === 'course rhythm' && somebody.role !== null) {
      somebody.courseRhythm = other === 0 ? null : (RHYTHMS[other] ?? null)
      await save({ courses: new Map([[this.course.id, somebody.courseRhythm]]) })
    } else if (kind === 'kinds off' || kind === 'kinds on') {
      if (kind === 'kinds off') somebody.off.add(group)
      else somebody.off.clear()
      await save({ mailsOff: [...somebody.off].flatMap((name) => GROUPS[name]) })
    } else if (kind === 'read all') {
      await within(db, markAllSeen, id)
      for (const number of [null, ...wishes.questions.keys()]) wishes.see(person, number)
    } else if (kind === 'read news') {
      for (const news of wishes.posts.filter((post) => post.kind === 'announcement'))
        await markAnnouncementRead(db, news.id, id)
      wishes.see(person, null)
    } else if (kind === 'follow places' || kind === 'end places') {
      const isFollowed = kind === 'follow places'
      const places: Place[] = [
        { kind: 'course', id: this.course.id },
        { kind: 'lecture', id: this.course.lectureIds[0] ?? 0 },
        { kind: 'tag', id: this.tagId },
      ]
      const place = places[other % 3] ?? assert.fail()
      await within(db, setPlaceFollowing, place, id, isFollowed)
      if (place.kind === 'course') somebody.followsCourse = isFollowed
      else somebody[place.kind === 'lecture' ? 'followsLecture' : 'followsTag'] = isFollowed
    }
    if (wishes.rhythmOf(person) === 'never') wishes.silence(person)
  }

  private async changeRole(kind: string, person: number): Promise<void> {
    const { db, wishes, course } = this
    if (person === HIDDEN || person === TEACHER) return
    const somebody = wishes.person(person)
    if (kind === 'leave course') {
      await within(db, removeMember, course.id, this.id(person))
      somebody.role = null
      if (somebody.courseRhythm !== null) wishes.loosen(person)
      somebody.courseRhythm = null
    } else if (kind === 'delete account') {
      if (person !== 1) return
      await leave(db, this.id(person), 'keep')
      const nothing = async () => undefined
      await finishDepartures(db, { purge: nothing, unname: unnameIn, sweepPictures: nothing })
      somebody.hasLeft = true
    } else await this.appoint(person, kind === 'promote' ? 'assistant' : 'learner')
  }

  private async join(person: number): Promise<void> {
    if (this.wishes.person(person).role === null) await this.appoint(person, 'learner')
  }

  private async appoint(person: number, role: 'learner' | 'assistant'): Promise<void> {
    const somebody = this.wishes.person(person)
    await within(this.db, addMember, this.course.id, this.id(person), role)
    const isNewStaff = role === 'assistant' && !this.wishes.isStaff(person)
    if (isNewStaff && somebody.followsCourse === false) somebody.followsCourse = null
    somebody.role = role
  }

  /** Whatever has a time is a week older. */
  private async passWeek(): Promise<void> {
    const { db } = this
    const week = sql`interval '168 hours'`
    const ids = this.made.map(({ id }) => id)
    await db.transaction().execute(async (write) => {
      for (const [table, columns] of Object.entries(TIMES)) {
        const earlier = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(column)} - ${week}`)
        await sql`update ${sql.table(table)} set ${sql.join(earlier)}
          where ${sql.ref(table === 'questions' ? 'id' : 'question_id')} = any(${ids})`.execute(write)
      }
      await sql`update mentions set mentioned_at = mentioned_at - ${week} where question_id = any(${ids})
        or answer_id in (select id from answers where question_id = any(${ids}))
        or reply_id in (select id from replies where question_id = any(${ids}))`.execute(write)
      const published_at = sql`published_at - ${week}`
      await setRows(write, 'announcements', { course_id: this.course.id }, { published_at })
      await passTime(write, '168 hours', this.people)
    })
    this.weeks += 1
    this.wishes.weekPasses()
  }

  /** Of each question that waits for too long one of the staff is told, once for each turn. */
  private async tellPromises(): Promise<void> {
    const { db, wishes, made } = this
    const due = await this.waiting(true)
    const before = await this.toldOverdue()
    // One a day: until nobody is told any more, the days pass.
    while ((await doJobs(db, promiseKind(db))) > 0)
      await setRows(db, 'question_desk', {}, { told_due_on: sql`told_due_on - 1` })
    const after = await this.toldOverdue()
    for (const [number, { id }] of made.entries()) {
      const keyOf = (person: number) => `${this.id(person)} ${id}`
      const told = wishes.numbers.filter((person) => after.get(keyOf(person)) !== before.get(keyOf(person)))
      const readers = wishes.numbers.filter(
        (person) => wishes.isStaff(person) && wishes.reads(person, number),
      )
      const able = readers.filter(
        (person) => person !== wishes.question(number).asker && wishes.level(person, number) !== 'mute',
      )
      const turn = due.get(id)
      const isNew = turn !== undefined && this.turns.get(id) !== turn
      assert.equal(told.length, isNew && able.length > 0 ? 1 : 0, `question ${number} waits for too long`)
      for (const person of told) assert.ok(able.includes(person), `told of question ${number}: ${told}`)
      if (turn !== undefined) this.turns.set(id, turn)
      for (const person of told) wishes.said(person, number, 'promise', null)
    }
  }

  /** The turns of questions that wait, as the desk has them: the time since when, had no week passed. */
  private async waiting(isTooLong: boolean): Promise<Map<number, string>> {
    const { rows } = await sql<{ id: number; turn: string }>`
      select question_id as id, (waiting_since + ${this.weeks} * interval '168 hours')::text as turn from question_desk
      where course_id = ${this.course.id} and waiting_since is not null
        and (not ${isTooLong} or waiting_since <= now() - interval '1 hour')`.execute(this.db)
    return new Map(rows.map(({ id, turn }) => [id, turn]))
  }

  private async toldOverdue(): Promise<Map<string, string>> {
    const { rows } = await sql<{ key: string; at: string }>`
      select person_id || ' ' || question_id as key, overdue_at::text as at from notifications
      where overdue_at is not null and question_id = any(${this.made.map(({ id }) => id)})`.execute(this.db)
    return new Map(rows.map(({ key, at }) => [key, at]))
  }

  private async check(): Promise<void> {
    const { wishes, made, people, db } = this
    const waiting = await this.waiting(false)
    wishes.overdue = new Set(
      [...made.entries()].flatMap(([number, { id }]) =>
        waiting.get(id) === this.turns.get(id) && waiting.has(id) ? [number] : [],
      ),
    )
    const ids = people.map(({ id }) => id)
    await expectBells(db, wishes, ids)
    for (const { kind } of await expectMails(db, wishes, ids))
      this.told.set(kind, (this.told.get(kind) ?? 0) + 1)
  }
}
