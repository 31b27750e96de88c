import { z } from 'zod'
import { count, id, named, role, time, url } from './registry.ts'

export const courseSchema = named(
  'Course',
  z.object({
    id,
    slug: z.string(),
    title: z.string(),
    field: z.string().nullable(),
    description: z.string(),
    language: z.enum(['en', 'ko']),
    time_zone: z.string(),
    is_public: z.boolean(),
    is_archived: z.boolean(),
    questions_count: count,
    unanswered_count: count,
    url,
  }),
)

export const lectureSchema = named(
  'Lecture',
  z.object({ position: z.int(), title: z.string(), questions_count: count, unresolved_count: count, url }),
)

export const categorySchema = named('Category', z.object({ slug: z.string(), name: z.string() }))

export const tagSchema = named('Tag', z.object({ name: z.string(), questions_count: count, url }))

export const announcementSchema = named(
  'Announcement',
  z.object({
    id,
    title: z.string(),
    body: z.string(),
    body_html: z.string(),
    author: z.object({ id, name: z.string(), role: role.nullable() }),
    corrects: id.nullable(),
    published_at: time,
    edited_at: time.nullable(),
    url,
  }),
)

export const faqSchema = named(
  'FaqEntry',
  z.object({
    id,
    title: z.string(),
    body: z.string(),
    body_html: z.string(),
    question: id.nullable(),
    position: z.int(),
    changed_at: time,
  }),
)
