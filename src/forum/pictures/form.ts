import { line } from '../../operations/fields.ts'
import { form } from '../../web/form.ts'

/** What is said of a picture, for those who do not see it. */
export const ALT = { min: 0, max: 300 } as const

/** What goes with an uploaded file. */
export const uploadForm = form({ alt: line(ALT) })
