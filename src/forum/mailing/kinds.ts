import type { Reason } from '../../database/schema.ts'

/**
 * Of what mail tells: a box each on the page of settings, `kind_<name>`, and the reasons of notifications that it is for; `week` is
 * the weekly mail to staff. Those of `forStaff` nobody else gets.
 */
export const KINDS = [
  { name: 'answered', reasons: ['answered'] },
  { name: 'reply', reasons: ['reply', 'clarification'] },
  { name: 'mention', reasons: ['mention'] },
  { name: 'accepted', reasons: ['accepted', 'endorsed'] },
  { name: 'followed', reasons: ['followed'] },
  { name: 'question', reasons: ['question'] },
  { name: 'announcement', reasons: ['announcement'] },
  { name: 'promise', reasons: ['promise'], forStaff: true },
  { name: 'week', reasons: ['week'], forStaff: true },
] as const satisfies readonly MailKind[]

interface MailKind {
  readonly name: string
  readonly reasons: readonly (Reason | 'week')[]
  readonly forStaff?: boolean
}

/** The kinds that somebody gets. */
export function kindsFor({ isStaff }: { readonly isStaff: boolean }): readonly MailKind[] {
  return KINDS.filter((kind: MailKind) => isStaff || kind.forStaff !== true)
}
