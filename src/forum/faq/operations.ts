import { personOf } from '../../operations/actor.ts'
import { choice } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { EditedMeanwhile, refusal } from '../../operations/refused.ts'
import { may } from '../../rights/rights.ts'
import { course } from '../courses/subjects.ts'
import { version } from '../posts/form.ts'
import { changeEntry, isAsChanged, makeEntry } from './commands.ts'
import { changed, proposed } from './form.ts'
import { moveEntry } from './move.ts'
import { findEntry } from './queries.ts'
import { entry } from './subjects.ts'

/** Makes an entry, of a question or of a text. Who may not decide proposes, whatever is wished. */
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

/** Moves a shown entry up or down by one. */
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
