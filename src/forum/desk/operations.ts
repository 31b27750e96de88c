import type { Write } from '../../database/schema.ts'
import { personOf } from '../../operations/actor.ts'
import { choice, plain, yes } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { Problem, refusal } from '../../operations/problem.ts'
import { requireRight } from '../../operations/require-right.ts'
import { formatDay, isoDay } from '../../text/dates.ts'
import { writeAnswer } from '../answers/commands.ts'
import { placeBelow, typedMentions } from '../mentions/typed.ts'
import { questionOf } from '../posts/find.ts'
import { POST_BODY, postBody, REPLY_BODY } from '../posts/form.ts'
import { requireShown } from '../posts/lock.ts'
import { resolveIn } from '../posts/resolution.ts'
import { fewLinks } from '../posts/rules.ts'
import { question } from '../posts/subjects.ts'
import { writeReply } from '../replies/commands.ts'
import { endClaim } from './claims.ts'
import { assignQuestion, snoozeQuestion, type Taken } from './commands.ts'
import { sayDone } from './done.ts'
import { lockOriginal, questionIdIn, setDuplicate } from './duplicates.ts'
import { futureDay } from './future-day.ts'
import { type NewerPost, newerPost, readSeen } from './newer-posts.ts'
import { MAX_PINS, pinQuestion, unpinQuestion } from './pins.ts'

/** Thrown where somebody posted below a question since it was read. Nothing is posted. */
export class PostedMeanwhile extends Error {
  readonly newer: NewerPost

  constructor(newer: NewerPost) {
    super('somebody posted meanwhile')
    this.newer = newer
  }
}

/** Thrown where somebody else took a question first. */
export class TakenMeanwhile extends Error {
  readonly taken: Taken

  constructor(taken: Taken) {
    super('somebody else has the question')
    this.taken = taken
  }
}

/**
 * Answers on the desk: `act` = `answer`, `stay` (the question stays open there), `resolve` (answer and resolve), `ask` (ask back, a
 * reply under the question). `seen`: the newest posts that its author had read, as newer-posts.ts writes it. @throws PostedMeanwhile
 */
export const answerOnDesk = operation({
  name: 'answer-on-desk',
  right: 'assign',
  find: question,
  once: true,
  input: { body: postBody(), act: choice(['answer', 'stay', 'resolve', 'ask']), seen: plain },
  completed: typedMentions(placeBelow.questions, POST_BODY.max),
  rules: [fewLinks],
  async run({ write, actor, subject, input: { body, act, seen } }) {
    const author = personOf(actor)
    const { id, courseId } = subject
    if (act === 'ask' && [...body.source].length > REPLY_BODY.max)
      throw refusal('body', 'forms.tooLong', { max: REPLY_BODY.max })
    const read = readSeen(seen)
    const newer = read === null ? null : await newerPost(write, id, author.id, read)
    if (newer !== null) throw new PostedMeanwhile(newer)
    const below = requireShown(subject.question)
    const post = { authorId: author.id, body }
    const isReply = act === 'ask'
    const postId = isReply
      ? await writeReply(write, below, { ...post, answerId: null })
      : await writeAnswer(write, below, post)
    if (act === 'resolve') await resolveIn(write, id)
    await endClaim(write, id, author.id)
    return { id, postId, isReply, act, course: (await courseOf(write, courseId)).slug }
  },
})

/**
 * Takes a question (`assignee` = `me`), gives it (a person's id), puts it back (empty). `seen`: who had it when it was read. Without
 * it, only what nobody has can be taken. @throws TakenMeanwhile
 */
export const questionAssignment = operation({
  name: 'assign-question',
  right: 'assign',
  find: question,
  limit: 'voting',
  input: { assignee: plain, seen: plain.optional() },
  events: ['staff-decided'],
  async run({ write, actor, subject, input: { assignee, seen }, note }) {
    const person = personOf(actor)
    const { id, courseId } = subject
    const assigneeId = assignee === 'me' ? person.id : idOf(assignee)
    const nobody = assignee === 'me' ? null : undefined
    const seenId = seen === undefined ? nobody : idOf(seen)
    const assignment = { questionId: id, courseId, assigneeId, actorId: person.id, seen: seenId }
    const outcome = await assignQuestion(write, assignment)
    if (outcome === 'unable') throw new Problem('invalid')
    if (typeof outcome === 'object') throw new TakenMeanwhile(outcome)
    if (outcome === 'done') note('staff-decided', { act: 'assign', questionId: id })
    const done = assigneeId === null ? 'putBack' : assigneeId === person.id ? 'taken' : 'given'
    return { question: questionOf(subject), done: outcome === 'closed' ? outcome : done } as const
  },
})

/** @throws Problem for what is no id */
function idOf(typed: string): number | null {
  if (typed === '') return null
  if (!/^[1-9]\d{0,14}$/.test(typed)) throw new Problem('invalid')
  return Number(typed)
}

/** Puts a question off until a day, `until` = `2026-12-01`; empty: not any more. The asker's next word ends it, too. */
export const questionSnooze = operation({
  name: 'snooze-question',
  right: 'assign',
  find: question,
  limit: 'voting',
  input: { until: plain },
  events: ['staff-decided'],
  async run({ write, actor, subject, input: { until }, note }) {
    const timeZone = personOf(actor).timeZone ?? (await courseOf(write, subject.courseId)).time_zone
    const day = until === '' ? null : futureDay(until, formatDay(new Date(), timeZone))
    if (until !== '' && day === null) throw refusal('until', 'desk.pin.day')
    const isOpen = await snoozeQuestion(write, subject.id, day === null ? null : { day, timeZone })
    if (isOpen) note('staff-decided', { act: 'snooze', questionId: subject.id })
    const done = day === null ? 'woken' : 'snoozed'
    return { question: questionOf(subject), done: isOpen ? done : 'closed' } as const
  },
})

/** Says that a question needs no answer, or that it does: a thank-you waits for nobody. */
export const questionDone = operation({
  name: 'question-done',
  right: 'assign',
  find: question,
  limit: 'voting',
  input: { value: yes },
  events: ['staff-decided'],
  async run({ write, actor, subject, input: { value: isDone }, note }) {
    const outcome = await sayDone(write, subject.id, isDone ? personOf(actor).id : null)
    if (outcome === 'unanswered') throw new Problem('unanswered')
    note('staff-decided', { act: isDone ? 'done' : 'not-done', questionId: subject.id })
    return { question: questionOf(subject), isDone }
  },
})

/**
 * Says that another question of the course answers this one: `of` is its id or address. Empty: it is none after all, which the asker
 * may say as well.
 */
export const questionDuplicate = operation({
  name: 'link-duplicate',
  right: 'unlink',
  async find(write: Write, { id, of }: { readonly id: number; readonly of: string }) {
    const originalId = questionIdIn(of)
    // The original is locked before what shall lead to it.
    if (originalId !== null) await lockOriginal(write, id, originalId)
    return question(write, id)
  },
  limit: 'voting',
  input: { of: plain },
  events: ['staff-decided'],
  async run({ write, actor, subject, input, note }) {
    const person = personOf(actor)
    const of = input.of.trim()
    if (of !== '') requireRight(person, 'assign', subject)
    const originalId = of === '' ? null : questionIdIn(of)
    if (of !== '' && originalId === null) throw refusal('of', 'desk.duplicate.unknown')
    const refused = await setDuplicate(write, { questionId: subject.id, originalId, actorId: person.id })
    if (refused !== null) throw refusal('of', `desk.duplicate.${refused}`)
    note('staff-decided', { act: of === '' ? 'unlink' : 'link', questionId: subject.id })
    return { question: questionOf(subject), isLinked: of !== '' }
  },
})

const DEFAULT_DAYS = 7
const DAY_MS = 24 * 3_600_000

/** Pins a question to the top of its course's list. `until`: the last day; left out: in seven days; empty: no longer. */
export const questionPin = operation({
  name: 'pin-question',
  right: 'assign',
  find: question,
  limit: 'voting',
  input: { until: plain.optional() },
  events: ['staff-decided'],
  async run({ write, actor, subject, input, note }) {
    const person = personOf(actor)
    const { id: questionId } = subject
    const isPinned = input.until !== ''
    if (isPinned) {
      const timeZone = person.timeZone ?? (await courseOf(write, subject.courseId)).time_zone
      const inAWeek = isoDay(new Date(Date.now() + DEFAULT_DAYS * DAY_MS), timeZone)
      const typed = input.until ?? inAWeek
      const until = futureDay(typed, formatDay(new Date(), timeZone))
      if (until === null) throw refusal('until', 'desk.pin.day')
      const outcome = await pinQuestion(write, { questionId, until, timeZone, actorId: person.id })
      if (outcome !== 'done') throw refusal('until', `desk.pin.${outcome}`, { max: MAX_PINS })
    } else await unpinQuestion(write, questionId)
    note('staff-decided', { act: isPinned ? 'pinned' : 'unpinned', questionId })
    return { question: questionOf(subject), isPinned }
  },
})

function courseOf(write: Write, id: number) {
  return write
    .selectFrom('courses')
    .select(['slug', 'time_zone'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}
