import { REPORT_REASONS, type ReportReason, type Write } from '../../database/schema.ts'
import { type Doer, OPERATOR, personOf } from '../../operations/actor.ts'
import { choice, line } from '../../operations/fields.ts'
import { type Doing, type Find, forum, operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { mayHandle } from '../handling/handlers.ts'
import { questionOf } from '../posts/find.ts'
import { answer, type LockedPost, question, reply } from '../posts/subjects.ts'
import { handledOf, selectCase } from './find.ts'
import { openByStaff } from './report.ts'
import { otherPerson, textOf } from './reportable.ts'
import type { Subject } from './subject.ts'

const reason = choice(REPORT_REASONS, 'reports.form.noReason')

/** Staff take up one kind of post themselves. */
function openingOf(about: Exclude<Subject['about'], 'person'>, find: Find<number, LockedPost>) {
  return operation({
    name: `open-case-of-${about}`,
    right: 'open-case',
    find,
    once: true,
    input: { reason },
    events: ['moderated'],
    run: async ({ write, actor, subject, input, note }) => ({
      ...(await open(write, actor, { about, id: subject.id }, input.reason, note)),
      question: questionOf(subject),
    }),
  })
}

export const questionCase = openingOf('question', question)
export const answerCase = openingOf('answer', answer)
export const replyCase = openingOf('reply', reply)

/** Admins take up a profile. */
export const personCase = operation({
  name: 'open-case-of-person',
  right: 'moderate-forum',
  find: forum,
  once: true,
  input: { reason, person: line({ min: 1, max: 15 }) },
  events: ['moderated'],
  async run({ write, actor, input, note }) {
    const person = await otherPerson(write, personOf(actor), input.person)
    return { ...(await open(write, actor, person, input.reason, note)), question: null }
  },
})

/** Opens the case, or finds the one that waits. @returns isTheirs whether who opened it may handle it as well */
async function open(
  write: Write,
  actor: Doer,
  subject: Subject,
  why: ReportReason,
  note: Doing<unknown, null, 'moderated'>['note'],
) {
  const { id, isNew } = await openByStaff(
    write,
    personOf(actor).id,
    subject,
    await textOf(write, subject),
    why,
  )
  const matter = await selectCase(write, id)
  if (matter === null) throw notFound()
  const courseId = matter.is_for_admins ? null : matter.course_id
  if (isNew) note('moderated', { act: 'open', caseId: id, courseId })
  return { caseId: id, isTheirs: actor !== OPERATOR && mayHandle(actor, handledOf(matter)) }
}
