import { type Doer, personOf } from '../../kernel/actor.ts'
import { choice, optional, reference } from '../../kernel/fields.ts'
import { Problem } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import type { LockedPost } from './lock.ts'

/** Why staff close a question to new answers. */
export const CLOSING_REASONS = ['off-topic', 'solved-elsewhere', 'unclear', 'heated'] as const
export type ClosingReason = (typeof CLOSING_REASONS)[number]

/** Whether others than staff still reply. @param reason null: it is not closed */
export const takesReplies = (reason: ClosingReason | null) => reason !== 'heated'

/** Fields of the form, and of its page. `duplicate`: the id or address of where it is solved. */
export const CLOSING_FIELDS = {
  reason: optional(choice(CLOSING_REASONS)),
  duplicate: reference,
}

/** A rule of answers. @throws Problem 'closed' for all but staff, who go on answering what they closed */
export function openToAnswers({ actor, subject }: Replying): void {
  if (subject.question.isClosed && !isStaff(actor, subject)) throw new Problem('closed')
}

/** A rule of replies. @throws Problem 'closed' for all but staff, where it takes none */
export function openToReplies({ actor, subject }: Replying): void {
  if (!takesReplies(subject.question.closingReason) && !isStaff(actor, subject)) throw new Problem('closed')
}

interface Replying {
  readonly actor: Doer
  readonly subject: LockedPost
}

const isStaff = (actor: Doer, subject: LockedPost) => may(personOf(actor), 'close', subject)
