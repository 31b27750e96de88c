import { z } from 'zod'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { fitting, noteUnknown } from '../../exchange/folder-reader.ts'
import { jsonRecords } from '../json-files.ts'
import { idText, ignored, timeIn, when } from '../source-fields.ts'
import type { SourceFiles } from '../source-files.ts'

const words = z.string().nullish()
const flag = z.boolean().nullish()
const number = z.number().nullish()
const file = z.object({ url: words, display_name: words, filename: words })

const participant = z.object({ id: idText.nullish(), display_name: words, anonymous_id: idText.nullish() })
export type Participant = z.output<typeof participant>

const entry = z.object({
  ...{ id: idText, user_id: idText.nullish(), editor_id: idText.nullish(), anonymous_id: idText.nullish() },
  ...{ parent_id: idText.nullish(), created_at: when, updated_at: words, message: words, deleted: flag },
  ...{ rating_count: number, rating_sum: number, attachment: file.nullish() },
  replies: z.array(z.unknown()).nullish(),
})
export type CanvasEntry = Omit<z.output<typeof entry>, 'replies'> & { readonly parent: string | null }

const topic = z.object({
  ...{
    id: idText,
    title: words,
    message: words,
    posted_at: words,
    created_at: words,
    delayed_post_at: words,
  },
  ...{ author: participant.nullish(), anonymous_state: words, attachments: z.array(file).nullish() },
  ...{ html_url: words, group_category_id: idText.nullish(), is_section_specific: flag, published: flag },
})
type Topic = z.output<typeof topic>

const view = z.object({
  ...{ participants: z.array(participant).nullish(), view: z.array(z.unknown()).nullish() },
  new_entries: z.array(z.unknown()).nullish(),
  ...ignored('unread_entries forced_entries entry_ratings'),
})
const pair = z.object({ topic: z.unknown(), view: z.unknown() })

export type CanvasFile = z.output<typeof file>

export interface CanvasTopic extends Topic {
  /** By their ids. */
  readonly people: ReadonlyMap<string, Participant>
  /** All of them, parents first where they are nested. */
  readonly entries: readonly CanvasEntry[]
  /** Whether only some members could read it: of a group or of sections, not published yet; null: nothing says so. */
  readonly isOfSome: boolean | null
  /** null: it was never posted. */
  readonly at: Date | null
}

/**
 * Topics with what is below them: `{"topic": …, "view": …}`, one a file or a list of them.
 * @throws ExchangeError with file, record and reason
 */
export async function* canvasTopics(
  files: SourceFiles,
  unknown: Map<string, number>,
): AsyncGenerator<CanvasTopic> {
  for await (const { value, place } of jsonRecords(files)) {
    const noting: Noting = (schema, given, what) => {
      const found = fitting(schema, given, `${place}, ${what}`)
      noteUnknown(unknown, what.replace(/ .*/, ''), given as object, schema.shape)
      return found
    }
    const { topic: head, view: below } = fitting(pair, value, place)
    yield topicOf(noting(topic, head, 'topic'), noting(view, below, 'view'), noting, place)
  }
}

type Noting = <Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  given: unknown,
  what: string,
) => z.output<z.ZodObject<Shape>>

function topicOf(head: Topic, below: z.output<typeof view>, noting: Noting, place: string): CanvasTopic {
  const entries = entriesOf(below, noting)
  const people = new Map<string, Participant>()
  for (const one of below.participants ?? [])
    if (one.id != null) people.set(one.id, merged(one, people.get(one.id)))
  const said = head.posted_at ?? head.created_at ?? null
  const at = said === null ? (entries[0]?.created_at ?? null) : timeIn(said)
  if (said !== null && at === null)
    throw new ExchangeError(`${place}, topic: posted_at: ${JSON.stringify(said.slice(0, 40))} is not a time`)
  return { ...head, people, entries, at, isOfSome: isOfSome(head) }
}

/** What is said of somebody in two places: one that keeps them anonymous counts. */
export const merged = (one: Participant, other: Participant | undefined): Participant => ({
  id: one.id ?? other?.id,
  display_name: one.display_name ?? other?.display_name,
  anonymous_id: one.anonymous_id ?? other?.anonymous_id,
})

/** The nested entries, and then the new ones that are not among them yet. */
function entriesOf(below: z.output<typeof view>, noting: Noting): CanvasEntry[] {
  const found = new Map<string, CanvasEntry>()
  const open = (below.view ?? []).toReversed().map((value) => ({ value, parent: null as string | null }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { replies, ...one } = noting(entry, next.value, `entry ${found.size + 1}`)
    if (!found.has(one.id)) found.set(one.id, { ...one, parent: next.parent })
    for (const value of (replies ?? []).toReversed()) open.push({ value, parent: one.id })
  }
  for (const value of below.new_entries ?? []) {
    const { replies: _, ...one } = noting(entry, value, `entry ${found.size + 1}`)
    if (!found.has(one.id)) found.set(one.id, { ...one, parent: one.parent_id ?? null })
  }
  return [...found.values()]
}

function isOfSome(head: Topic): boolean | null {
  const { html_url = '', group_category_id, is_section_specific, published, delayed_post_at } = head
  const isOfGroup = group_category_id != null || /\/groups\/\d+\//.test(html_url ?? '')
  const isDraft = head.posted_at === null
  const isLater = delayed_post_at != null && !((timeIn(delayed_post_at)?.getTime() ?? Infinity) <= Date.now())
  if (isOfGroup || is_section_specific === true || published === false || isLater || isDraft) return true
  return /\/courses\/\d+\//.test(html_url ?? '') ? false : null
}
