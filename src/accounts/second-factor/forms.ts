import { line } from '../../operations/fields.ts'
import { form } from '../../web/form.ts'

/** Six digits of an app, or a recovery code with whatever between its groups. */
export const codeField = line({
  min: 1,
  max: 100,
  short: 'secondFactor.code.missing',
  long: 'secondFactor.code.wrong',
})

export const codeForm = form({ code: codeField })
