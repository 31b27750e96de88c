import { z } from 'zod'
import { choice, optional } from '../../operations/fields.ts'
import { form } from '../../web/form.ts'
import { postBody, postTitle } from '../questions/form.ts'

export const STATES = ['proposed', 'shown', 'declined'] as const

/** The id of a question or its address. */
const question = () =>
  z.string().transform((value, context) => {
    const id = /^(?:[^?#]*\/questions\/|#)?([1-9]\d{0,14})(?:[/?#].*)?$/.exec(value.trim())?.[1]
    if (id !== undefined) return Number(id)
    context.addIssue({ code: 'custom', message: 'faq.question.unknown' })
    return z.NEVER
  })

const position = () =>
  z.string().transform((value, context) => {
    if (/^[1-9]\d{0,5}$/.test(value.trim())) return Number(value.trim())
    context.addIssue({ code: 'custom', message: 'faq.position.wrong' })
    return z.NEVER
  })

const state = () =>
  z.string().transform((value, context) => {
    const known = STATES.find((one) => one === value)
    if (known !== undefined) return known
    context.addIssue({ code: 'custom', message: 'forms.choice' })
    return z.NEVER
  })

/** A question, or title and body; of an entry that is there, what is left empty stays as it is. */
export const entryForm = form({
  question: optional(question()),
  title: optional(postTitle()),
  body: optional(postBody()),
  position: optional(position()),
  state: optional(state()),
})

export const moveForm = form({ direction: choice(['up', 'down']) })
