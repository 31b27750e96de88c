import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { apart, holder, table } from '../../database/table.ts'
import { sweep, term } from '../../database/terms.ts'
import { hashToken } from '../../web/tokens.ts'

const LIFETIME = term('replyKeys')

export const replyKeys = table(
  'reply_keys',
  { person_id: apart(holder) },
  { expired: sql`made_at < now() - ${LIFETIME}` },
)

export type ReplyKey = NonNullable<Awaited<ReturnType<typeof findReplyKey>>>

/**
 * Makes the address that answers to a mail go to.
 * @param replyAddress REPLY_ADDRESS
 * @param last the last post of the mail, under which the answer belongs
 */
export async function makeReplyAddress(
  write: Write,
  replyAddress: string,
  personId: number,
  questionId: number,
  last: { readonly kind: 'question' | 'answer' | 'reply'; readonly id: number } | null,
): Promise<string> {
  // Lower-case letters and digits: some mail systems change the case of an address.
  const token = randomBytes(20).toString('hex')
  const answer =
    last?.kind === 'reply'
      ? sql<number | null>`(select answer_id from replies where id = ${last.id})`
      : (last?.kind === 'answer' && last.id) || null
  await write
    .insertInto('reply_keys')
    .values({
      token_hash: hashToken(token),
      person_id: personId,
      question_id: questionId,
      answer_id: answer,
      reply_id: last?.kind === 'reply' ? last.id : null,
      is_answer: last?.kind === 'question',
    })
    .execute()
  const [name = '', host = ''] = replyAddress.split('@')
  return `${name}+${token}@${host}`
}

/**
 * The key that one of these addresses has; null: none, or it is too old.
 * @returns `answerId` null: an answer, or a reply under the question
 */
export async function findReplyKey(db: Database | Write, replyAddress: string, addresses: readonly string[]) {
  const [name = '', host = ''] = replyAddress.toLowerCase().split('@')
  const tokens = addresses.flatMap((address) => {
    const lower = address.toLowerCase()
    const isOurs = lower.startsWith(`${name}+`) && lower.endsWith(`@${host}`)
    return isOurs ? [lower.slice(name.length + 1, -host.length - 1)] : []
  })
  const [token] = tokens
  if (token === undefined) return null
  const row = await db
    .selectFrom('reply_keys')
    .select(['person_id as personId', 'question_id as questionId'])
    .select(['answer_id as answerId', 'is_answer as isAnswer'])
    .where('token_hash', '=', hashToken(token))
    .where('made_at', '>', sql<Date>`now() - ${LIFETIME}`)
    .executeTakeFirst()
  return row ?? null
}

/** Removes what is known of mails that came long ago: nobody delivers them again. @returns how many */
export function sweepIncomingMails(db: Database): Promise<number> {
  return sweep(db, 'incoming_mails', sql`received_at < now() - ${LIFETIME}`)
}
