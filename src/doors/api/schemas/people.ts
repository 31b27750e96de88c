import { z } from 'zod'
import { count, id, named, role, time, url } from './registry.ts'

const roles = z.array(z.object({ course: z.string(), role }))

export const personSchema = named(
  'Person',
  z.object({
    id,
    name: z.string(),
    joined_at: time,
    roles,
    questions_count: count,
    answers_count: count,
    accepted_count: count,
    endorsed_count: count,
    votes_count: count,
    tags: z.array(z.object({ name: z.string(), answers_count: count })),
    url,
  }),
)

export const meSchema = named(
  'Me',
  z.object({
    id,
    name: z.string(),
    language: z.enum(['en', 'ko']).nullable(),
    time_zone: z.string().nullable(),
    is_admin: z.boolean(),
    roles,
    token: z.object({
      scopes: z.array(z.enum(['read', 'write', 'staff'])),
      course: z.string().nullable(),
      ends_at: time,
    }),
    url,
  }),
)

export const notificationSchema = named(
  'Notification',
  z.object({
    id,
    reason: z.string(),
    is_seen: z.boolean(),
    happened_at: time,
    question: id.nullable(),
    announcement: id.nullable(),
    title: z.string(),
    course: z.string(),
    author: z
      .object({ id: id.nullable(), name: z.string(), role: role.nullable(), stand_in: z.int().nullable() })
      .nullable(),
    url,
  }),
)

export const memberSchema = named(
  'Member',
  z.object({
    id,
    name: z.string(),
    email: z.string().nullable(),
    role,
    questions_count: count,
    answers_count: count,
    last_seen_at: time.nullable(),
    url,
  }),
)
