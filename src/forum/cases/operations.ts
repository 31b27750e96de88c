import type { MeasureKind } from '../../database/schema.ts'
import { type Doer, OPERATOR, personOf } from '../../kernel/actor.ts'
import { choice, line, text } from '../../kernel/fields.ts'
import { type Doing, forum, operation } from '../../kernel/operation.ts'
import { notFound, Problem, refusal } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { mayHandle } from '../handling/handlers.ts'
import { REMOVAL_DAYS } from '../handling/in-force.ts'
import { liftMeasure } from './acts-on-people.ts'
import {
  caseSubject,
  measureSubject,
  mustHandle,
  type SubjectCase,
  type SubjectMeasure,
} from './case-subject.ts'
import { claimCase, handOver, releaseCase, wasHandedOver } from './claims.ts'
import { CaseChanged, decide } from './decide.ts'
import { handledOf } from './find.ts'
import { caseVersion, measureList, mustBeRule, suspensionLength, ticked } from './form.ts'
import { answerObjection, handOverObjection, hasOtherHandler } from './objections.ts'
import { measuresFor } from './pages/decide-view.ts'
import { REDACTION_GROUNDS, redactCase } from './retention.ts'

/** The log fields of a case: those of admins are in no course's log. */
function noted({ id, case: { course_id: courseId, is_for_admins: isForAdmins } }: SubjectCase) {
  return { caseId: id, courseId: isForAdmins ? null : courseId }
}

const note = () => text({ min: 0, max: 5000 })

export const caseClaim = operation({
  name: 'claim-case',
  right: 'moderate',
  find: caseSubject,
  limit: 'voting',
  input: { value: choice(['1', '0']) },
  rules: [mustHandle],
  async run({ write, actor, subject, input }) {
    const { id } = personOf(actor)
    const isClaimed = input.value === '1' && (await claimCase(write, subject.id, id))
    if (input.value === '0') await releaseCase(write, subject.id, id)
    return { id: subject.id, isClaimed, isRefused: input.value === '1' && !isClaimed }
  },
})

export const caseDecision = operation({
  name: 'decide-case',
  right: 'moderate',
  find: caseSubject,
  input: {
    decision: choice(['uphold', 'decline']),
    version: caseVersion(),
    measure: measureList(),
    suspend: suspensionLength(),
    everywhere: ticked(),
    rule: line({ min: 0, max: 300 }),
    note: note(),
    reporter_note: note(),
    staff_note: note(),
  },
  rules: [mustHandle, ({ write, subject, input }) => mustBeRule(write, subject.case.course_id, input.rule)],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    const isUpheld = input.decision === 'uphold'
    const measures = isUpheld ? measuresOf(actor, subject, input) : []
    const isDone = await decide(write, personOf(actor).id, subject.id, {
      version: input.version,
      isUpheld,
      measures,
      rule: input.rule,
      note: input.note,
      reporterNote: input.reporter_note,
      staffNote: input.staff_note,
    })
    if (!isDone) throw new CaseChanged()
    log('moderated', { act: input.decision, ...noted(subject) })
    const { course_slug: course, is_for_admins: isForAdmins } = subject.case
    return { id: subject.id, queueOf: isForAdmins ? null : course }
  },
})

/** Reads the selected measures that fit the case. @throws Refused, Problem */
function measuresOf(
  actor: Doer,
  { case: matter }: SubjectCase,
  { measure, suspend, everywhere }: { measure: MeasureKind[]; suspend: number | null; everywhere: boolean },
) {
  if (measure.length === 0) throw refusal('measure', 'cases.form.noMeasure')
  const fitting = measuresFor(matter)
  if (measure.some((kind) => !fitting.includes(kind))) throw refusal('measure', 'cases.form.unknownMeasure')
  const isEverywhere = everywhere || matter.course_id === null
  if (isEverywhere && measure.includes('suspend') && actor !== OPERATOR && !may(actor, 'moderate-forum'))
    throw refusal('everywhere', 'cases.form.notEverywhere')
  return measure.map((kind) => ({
    kind,
    days: kind === 'suspend' ? suspend : null,
    isEverywhere: kind === 'suspend' && isEverywhere,
  }))
}

export const caseHandover = operation({
  name: 'hand-over-case',
  right: 'moderate',
  find: caseSubject,
  once: true,
  input: { to: choice(['admins', 'course']), staff_note: note() },
  rules: [mustStillHaveIt, mustHandle, mustReachStaff],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    const isToAdmins = input.to === 'admins'
    const isDone = await handOver(write, personOf(actor).id, subject.id, {
      isToAdmins,
      note: input.staff_note,
      of: 'case',
    })
    if (!isDone) throw new CaseChanged()
    log('moderated', { act: `to-${input.to}`, ...noted(subject) })
    return { isToAdmins, id: subject.id, courseId: subject.case.course_id }
  },
})

/** Staff of a course whose case someone passed on to the admins meanwhile are told so. @throws Problem 'handedOn' */
async function mustStillHaveIt({ write, actor, subject }: Doing<unknown, SubjectCase>): Promise<void> {
  const handled = handledOf(subject.case)
  if (actor === OPERATOR || !handled.isForAdmins || mayHandle(actor, handled)) return
  if (!mayHandle(actor, { ...handled, isForAdmins: false })) return
  if (await wasHandedOver(write, subject.id)) throw new Problem('handedOn')
}

/** A case goes back to its course only where someone there can handle it. @throws Refused */
function mustReachStaff({ subject, input }: Doing<{ readonly to: 'admins' | 'course' }, SubjectCase>): void {
  if (input.to === 'course' && subject.case.course_id !== null && !subject.case.has_handler_in_course)
    throw refusal('to', 'cases.handover.noStaff')
}

/** Removes personal data from what a case keeps. The audit log holds the ground, the case what the admin wrote about it. */
export const caseRedaction = operation({
  name: 'redact-case',
  right: 'moderate-forum',
  find: forum,
  input: {
    case: line({ min: 1, max: 15 }),
    ground: choice(REDACTION_GROUNDS, 'cases.redact.noGround'),
    note: line({ min: 0, max: 300 }),
  },
  events: ['moderated'],
  async run({ write, actor, input, note: log }) {
    const subject = await caseSubject(write, Number(input.case))
    mustHandle({ actor, subject })
    await redactCase(write, personOf(actor).id, subject.id, input.note)
    log('moderated', { act: 'redact', ground: input.ground, ...noted(subject) })
    return { id: subject.id }
  },
})

export const measureEnd = operation({
  name: 'lift-measure',
  right: 'moderate',
  find: measureSubject,
  once: true,
  input: { note: note() },
  rules: [mustHandle, maySuspendThere, mustBeRestorable],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    const isDone = await liftMeasure(write, personOf(actor).id, subject.measureId, input.note)
    if (!isDone) throw new CaseChanged()
    log('moderated', { act: `lift-${subject.kind}`, ...noted(subject), measureId: subject.measureId })
    return { id: subject.id }
  },
})

export const objectionAnswer = operation({
  name: 'answer-objection',
  right: 'moderate',
  find: measureSubject,
  once: true,
  input: { value: choice(['keep', 'lift']), note: note() },
  rules: [mustHandle, maySuspendThere, mustBeAnother],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    const { measureId } = subject
    const isDone = await answerObjection(write, personOf(actor).id, {
      measureId,
      outcome: input.value,
      note: input.note,
    })
    if (!isDone) throw new CaseChanged()
    log('moderated', { act: `objection-${input.value}`, ...noted(subject), measureId })
    return { id: subject.id }
  },
})

/** Leaves an objection to the admins: its page offers that where no one else in the course could answer. */
export const objectionHandover = operation({
  name: 'hand-over-objection',
  right: 'moderate',
  find: measureSubject,
  once: true,
  input: {},
  rules: [mustHandle],
  events: ['moderated'],
  async run({ write, actor, subject, note: log }) {
    const { measureId } = subject
    const isDone = await handOverObjection(write, personOf(actor).id, subject)
    if (!isDone) throw new CaseChanged()
    log('moderated', { act: 'to-admins', ...noted(subject), measureId })
    return { id: subject.id, course: subject.case.course_slug }
  },
})

/** Measures for every course are for admins. */
function maySuspendThere({ actor, subject }: Doing<unknown, SubjectMeasure>): void {
  if (subject.isEverywhere && actor !== OPERATOR && !may(actor, 'moderate-forum')) throw notFound()
}

/** Restores all posts of an account only for a while. @throws Refused */
function mustBeRestorable({ subject }: Doing<unknown, SubjectMeasure>): void {
  if (subject.isPastRestoring) throw refusal('note', 'removal.flash.late', { days: REMOVAL_DAYS })
}

/** Keeps the person who took a measure from judging the objection to it where someone else can. */
async function mustBeAnother({ write, actor, subject }: Doing<unknown, SubjectMeasure>): Promise<void> {
  if (personOf(actor).id === subject.madeBy && (await hasOtherHandler(write, subject.measureId)))
    throw new Problem('ownDecision')
}
