import { z } from 'zod'
import { optional, plain } from '../../operations/fields.ts'
import { postBody, postTitle } from '../posts/form.ts'

/** `corrects`: the id of the announcement that this one corrects. */
const corrected = () =>
  plain.transform((value, context) => {
    if (/^[1-9]\d{0,14}$/.test(value.trim())) return Number(value.trim())
    context.addIssue({ code: 'custom', message: 'announcements.corrects.unknown' })
    return z.NEVER
  })

export const news = { title: postTitle(), body: postBody() }

export const newAnnouncement = { ...news, corrects: optional(corrected()) }
