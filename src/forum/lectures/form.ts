import { z } from 'zod'
import { choice, flag, optional, plain, text, titleLine } from '../../operations/fields.ts'
import { form } from '../../web/form.ts'

/** As the constraint lectures_title_length has it. */
const title = () =>
  titleLine({ min: 1, max: 150, short: 'lectures.title.short', long: 'lectures.title.long' })

/** A lecture's number, as addresses carry it. */
const position = () =>
  plain.transform((value, context) => {
    if (/^[1-9]\d{0,5}$/.test(value.trim())) return Number(value.trim())
    context.addIssue({ code: 'custom', message: 'lectures.position.wrong' })
    return z.NEVER
  })

/** Typed or pasted lectures; `mode` 'replace': the course has these and no others. `table`: they are known to be one. */
export const listed = {
  lectures: text({ min: 1, max: 200_000, short: 'lectures.file.none', long: 'lectures.many' }),
  mode: optional(choice(['add', 'replace'])),
  table: flag,
}

/** The same with `act` 'save': what was read was shown; 'edit': back to the text. */
export const lecturesForm = form({ ...listed, act: optional(choice(['read', 'save', 'edit'])) })

export const lecture = { title: title(), position: position() }
/** By one, or to where the lecture `to` stands. */
export const move = { direction: optional(choice(['up', 'down'])), to: optional(position()) }
/** The lecture that takes over the questions: `into` the number of another lecture. */
export const merge = { into: position() }
/** The same, or of none. */
export const removal = { into: optional(position()) }
