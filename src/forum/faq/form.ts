import { z } from 'zod'
import { choice, optional, plain } from '../../operations/fields.ts'
import { postBody, postTitle } from '../posts/form.ts'

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
export const changed = {
  title: optional(postTitle()),
  body: optional(postBody()),
  position: optional(position()),
  state: optional(choice(STATES)),
}

/** A question, or title and body. */
export const proposed = { question: optional(question()), ...changed }
