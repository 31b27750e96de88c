import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type Named, OPERATOR } from '../../kernel/actor.ts'
import type { Message } from '../../messages/catalogue.ts'
import { hasForbidden, lengthOf, normalize } from '../../text/characters.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { mentionedIn, showMentions } from '../../text/mentions.ts'
import { typedNames, wordsAfterAt } from '../../text/typed-names.ts'
import { fold } from '../../text/words/fold.ts'
import { findCalled, type MentionPlace } from './queries.ts'

const MOST_SAID = 3
/** Numbers that no account has: they tell which names stand in code, and so mention nobody. */
const FIRST_MARK = 900_000_000_000_000

type Sent = Readonly<Record<string, unknown>>

/** Each place where a post can be written, by what its form's address names. */
export const placeBelow = {
  questions: (id: number): MentionPlace => ({ kind: 'question', id: sql`${id}::bigint` }),
  answers: (id: number): MentionPlace => ({
    kind: 'question',
    id: sql`(select question_id from answers where id = ${id})`,
  }),
  replies: (id: number): MentionPlace => ({
    kind: 'question',
    id: sql`(select question_id from replies where id = ${id})`,
  }),
  course: (slug: string): MentionPlace => ({
    kind: 'course',
    id: sql`(select id from courses where slug = ${slug})`,
  }),
}

/** For an operation that posts a text: names that were typed become mentions. @param max characters that the text may have */
export const typedMentions =
  <Key>(placeOf: (key: Key) => MentionPlace, max: number) =>
  async (db: Database, actor: Named, key: Key, sent: Sent): Promise<Sent> =>
    actor === null || actor === OPERATOR || typeof sent.body !== 'string'
      ? sent
      : { ...sent, body: await withTypedMentions(db, placeOf(key), actor.id, { source: sent.body, max }) }

/**
 * The source of a text with a mention wherever the whole name of exactly one person stands behind an `@`, whom its writer could have
 * chosen from the list. What would be longer than it may be stays as it is.
 */
export async function withTypedMentions(
  db: Database,
  place: MentionPlace,
  writerId: number,
  { source, max }: { readonly source: string; readonly max: number },
): Promise<string> {
  // Such a text is refused.
  if (source.length > 2 * max || hasForbidden(source, { multiline: true })) return source
  const typed = typedNames(source)
  const names = [...new Set(typed.flatMap((one) => one.names.map(({ folded }) => folded)))]
  if (names.length === 0) return source
  const called = Map.groupBy(await findCalled(db, place, writerId, names), ({ displayName }) =>
    fold(displayName, 'same'),
  )
  const meant = typed.flatMap(({ at, names }) => {
    const name = names.find(({ folded }) => called.has(folded))
    const [person, other] = called.get(name?.folded ?? '') ?? []
    return name === undefined || person === undefined || other !== undefined
      ? []
      : [{ at, end: name.end, personId: person.id }]
  })
  if (meant.length === 0) return source
  const marked = withMentions(
    source,
    meant.map((one, index) => ({ ...one, personId: FIRST_MARK + index })),
  )
  const [{ html }] = await prepareMarkdown([normalize(marked)])
  const live = new Set(mentionedIn(html))
  const written = withMentions(
    source,
    meant.filter((_, index) => live.has(FIRST_MARK + index)),
  )
  return lengthOf(normalize(written)) > max ? source : written
}

function withMentions(
  source: string,
  meant: readonly { readonly at: number; readonly end: number; readonly personId: number }[],
): string {
  let end = 0
  const parts = meant.map((one) => {
    const before = source.slice(end, one.at)
    end = one.end
    return `${before}@[${source.slice(one.at + 1, one.end)}](person:${one.personId})`
  })
  return parts.join('') + source.slice(end)
}

/** What is said of a text: the names behind an `@` that notify no one. @param notified those whom it mentions; null: all it names */
export function saidOfNames(html: string, notified: readonly number[] | null): Message[] {
  const plain = showMentions(html, (id, typed) =>
    notified === null || notified.includes(id) ? '' : `@${typed}`,
  )
  return wordsAfterAt(plain)
    .slice(0, MOST_SAID)
    .map((name) => ({ key: 'mentions.noOne', values: { name } }))
}
