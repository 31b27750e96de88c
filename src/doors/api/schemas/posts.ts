import { z } from 'zod'
import { count, id, resource, role, time, url } from '../../../web/json/resource.ts'

const status = z.enum(['unresolved', 'resolved'])
const audience = z.enum(['course', 'staff'])

/** `id` and `role` are null where the name is hidden from whoever asks. */
export const authorSchema = resource('Author', {
  id: id.nullable(),
  name: z.string(),
  role: role.nullable(),
  stand_in: z.int().nullable(),
  questions_count: count.nullable(),
})

const post = {
  id,
  body: z.string(),
  body_html: z.string(),
  author: authorSchema,
  is_anonymous: z.boolean(),
  written_at: time,
  edited_at: time.nullable(),
  version: z.int(),
  url,
}

export const questionSchema = resource('Question', {
  ...post,
  title: z.string(),
  status,
  course: z.string(),
  lecture: z.int().nullable(),
  category: z.string(),
  field: z.string().nullable(),
  tags: z.array(z.string()),
  audience,
  answers_count: count,
  votes_count: count,
  views_count: count,
  accepted_answer: id.nullable(),
  duplicate_of: id.nullable(),
})

export const answerSchema = resource('Answer', {
  ...post,
  question: id,
  votes_count: count,
  is_accepted: z.boolean(),
  is_endorsed: z.boolean(),
  replies_count: count,
})

export const replySchema = resource('Reply', {
  ...post,
  question: id,
  answer: id.nullable(),
  is_asker: z.boolean(),
})

export const versionSchema = resource('Version', {
  version: z.int(),
  title: z.string().nullable(),
  body: z.string().nullable(),
  tags: z.array(z.string()).nullable(),
  reason: z.string().nullable(),
  author: authorSchema.omit({ questions_count: true }),
  written_at: time,
  is_redacted: z.boolean(),
})
