import type { Row } from '../../database/schema.ts'

/** Chats that get messages of their own, and any program, by Standard Webhooks. */
export const KINDS = ['slack', 'discord', 'teams', 'standard'] as const satisfies Row<'webhooks'>['kind'][]
export type WebhookKind = (typeof KINDS)[number]

/** What a chat can be told: each new question, questions past the promise, a summary of each day. */
export const CHAT = ['new', 'late', 'daily'] as const

/** How many a course can have, and the forum. */
export const MOST = { course: 10, forum: 50 } as const
