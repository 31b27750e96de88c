import { z } from 'zod'
import { optional } from '../../operations/fields.ts'
import { form } from '../../web/form.ts'
import { postBody, postTitle } from '../questions/form.ts'

/** `corrects`: the id of the announcement that this one corrects. */
const corrected = () =>
  z.string().transform((value, context) => {
    if (/^[1-9]\d{0,14}$/.test(value.trim())) return Number(value.trim())
    context.addIssue({ code: 'custom', message: 'announcements.corrects.unknown' })
    return z.NEVER
  })

export const announcementForm = form({
  title: postTitle(),
  body: postBody(),
  corrects: optional(corrected()),
})
