import { email } from '../../accounts/identity/fields.ts'
import type { Language, Write } from '../../database/schema.ts'
import { REPORT_REASONS } from '../../database/schema.ts'
import { enqueue } from '../../jobs/table.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { type Doer, OPERATOR } from '../../operations/actor.ts'
import { choice, line, optional, text } from '../../operations/fields.ts'
import { type Find, forum, operation } from '../../operations/operation.ts'
import { refusal } from '../../operations/refused.ts'
import { questionOf } from '../posts/find.ts'
import { answer, type LockedPost, question, reply } from '../posts/subjects.ts'
import { LETTERS_OF_CASES, letterKey } from './letter-jobs.ts'
import { isFirstOfAddress, type Reporter, report } from './report.ts'
import { otherPerson, textOf } from './reportable.ts'
import type { Subject } from './subject.ts'

const input = {
  reason: choice(REPORT_REASONS, 'reports.form.noReason'),
  note: text({ min: 0, max: 2000 }),
  /** Only for visitors. */
  name: line({ min: 0, max: 50 }),
  email: optional(email()),
  /** The language of the page, for letters to a visitor. */
  language: choice(LANGUAGES),
}

interface ReportForm {
  readonly reason: (typeof REPORT_REASONS)[number]
  readonly note: string
  readonly name: string
  readonly email: string | null
  readonly language: Language
}

/** Reports one kind of post. The operation's subject says whose it is and who may read it. */
function reportOf(about: Exclude<Subject['about'], 'person'>, find: Find<number, LockedPost>) {
  return operation({
    name: `report-${about}`,
    right: 'report',
    find,
    limit: 'reporting',
    once: true,
    input,
    run: async ({ write, actor, subject, input }) => ({
      outcome: await send(write, actor, { about, id: subject.id }, input),
      question: questionOf(subject),
    }),
  })
}

export const questionReport = reportOf('question', question)
export const answerReport = reportOf('answer', answer)
export const replyReport = reportOf('reply', reply)

/** Reports a profile, to the admins. */
export const personReport = operation({
  name: 'report-person',
  right: 'visit',
  find: forum,
  limit: 'reporting',
  once: true,
  input: { ...input, person: line({ min: 1, max: 15 }) },
  async run({ write, actor, input }) {
    const person = await otherPerson(write, actor === OPERATOR ? null : actor, input.person)
    return { outcome: await send(write, actor, person, input), question: null }
  },
})

async function send(write: Write, actor: Doer, subject: Subject, form: ReportForm) {
  if (form.reason === 'other' && form.note === '') throw refusal('note', 'reports.form.noteMissing')
  const reporter: Reporter =
    actor === null || actor === OPERATOR
      ? { personId: null, name: form.name, email: form.email, language: form.language }
      : { personId: actor.id, language: form.language }
  const { outcome, reportId } = await report(write, reporter, subject, await textOf(write, subject), form)
  if (reportId !== null && (await isFirstOfAddress(write, reportId)))
    await enqueue(write, LETTERS_OF_CASES, letterKey('receipt', reportId))
  return outcome
}
