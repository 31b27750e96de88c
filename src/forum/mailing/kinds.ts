import type { Reason } from '../../database/schema.ts'

/**
 * Of what mail tells: a box each on the page of settings, `kind_<name>`, and the reasons of notifications that it is for; `week` is
 * the weekly mail to staff.
 */
export const KINDS = [
  { name: 'answered', reasons: ['answered'] },
  { name: 'reply', reasons: ['reply', 'clarification'] },
  { name: 'mention', reasons: ['mention'] },
  { name: 'accepted', reasons: ['accepted', 'endorsed'] },
  { name: 'followed', reasons: ['followed'] },
  { name: 'question', reasons: ['question'] },
  { name: 'announcement', reasons: ['announcement'] },
  { name: 'promise', reasons: ['promise'] },
  { name: 'week', reasons: ['week'] },
] as const satisfies readonly { name: string; reasons: readonly (Reason | 'week')[] }[]
