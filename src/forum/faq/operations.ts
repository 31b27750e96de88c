import { z } from 'zod'
import { personOf } from '../../operations/actor.ts'
import { choice, optional, plain } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { EditedMeanwhile, notFound, refusal } from '../../operations/problem.ts'
import { may } from '../../rights/rights.ts'
import { course } from '../courses/find-course.ts'
import { postBody, postTitle, version } from '../posts/form.ts'
import { changeEntry, isAsChanged, makeEntry, moveEntry } from './commands.ts'
import { findEntry } from './queries.ts'
import { entry } from './subjects.ts'

export const STATES = ['proposed', 'shown', 'declined'] as const

/** The id of a question or its address. */
const question = () =>
  plain.transform((value, context) => {
    const id = /^(?:[^?#]*\/questions\/|#)?([1-9]\d{0,14})(?:[/?#].*)?$/.exec(value.trim())?.[1]
    if (id !== undefined) return Number(id)
    context.addIssue({ code: 'custom', message: 'faq.question.unknown' })
    return z.NEVER
  })

const position = () =>
  plain.transform((value, context) => {
    if (/^[1-9]\d{0,5}$/.test(value.trim())) return Number(value.trim())
    context.addIssue({ code: 'custom', message: 'faq.position.wrong' })
    return z.NEVER
  })

/** Fields of an existing entry; those left empty stay as they are. */
const changed = {
  title: optional(postTitle()),
  body: optional(postBody()),
  position: optional(position()),
  state: optional(choice(STATES)),
}

/** A question, or title and body. */
const proposed = { question: optional(question()), ...changed }

/** Who may not decide proposes, whatever is wished. */
export const faqEntry = operation({
  name: 'make-faq-entry',
  right: 'propose-faq',
  find: course,
  once: true,
  input: proposed,
  events: ['faq-changed'],
  async run({ write, actor, subject, input: { question, title, body, position, ...wished }, note }) {
    const { id: courseId, slug } = subject
    const text = title === null || body === null ? null : { title, body: body.source }
    const about = question ?? text
    if (about === null) throw refusal('title', 'faq.nothing')
    const decides = may(personOf(actor), 'decide-faq', subject)
    const state = (decides ? wished.state : null) ?? 'proposed'
    if (!(await makeEntry(write, { courseId, about, state, position })))
      throw refusal('question', 'faq.question.unknown')
    note('faq-changed', { courseId, state })
    return { slug, state }
  },
})

/**
 * Changes an entry, shows or declines it. Without a version it is changed whatever it is now. What changes nothing makes no version.
 * @throws EditedMeanwhile
 */
export const faqChange = operation({
  name: 'change-faq-entry',
  right: 'decide-faq',
  find: entry,
  input: { ...changed, version },
  events: ['faq-changed'],
  async run({ write, subject, input: { version: begunWith, body, ...others }, note }) {
    const { slug, courseId } = subject
    const change = { ...others, body: body?.source ?? null }
    const state = change.state ?? 'shown'
    if (isAsChanged(subject.entry, change) && begunWith === subject.entry.version)
      return { slug, state, isChanged: false }
    if ((await changeEntry(write, subject.entry, change, begunWith)) === 'conflict') {
      const now = await findEntry(write, subject.entry.id)
      if (!isAsChanged(now ?? subject.entry, change)) throw new EditedMeanwhile()
    }
    note('faq-changed', { courseId, state: change.state })
    return { slug, state, isChanged: true }
  },
})

export const faqMove = operation({
  name: 'move-faq-entry',
  right: 'decide-faq',
  find: entry,
  input: { direction: choice(['up', 'down']) },
  events: ['faq-changed'],
  async run({ write, subject: { slug, courseId, entry }, input: { direction }, note }) {
    if (!(await moveEntry(write, courseId, entry.id, direction))) throw notFound()
    note('faq-changed', { courseId, state: entry.state })
    return { slug, id: entry.id }
  },
})
