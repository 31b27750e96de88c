import { z } from 'zod'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { fitting, noteUnknown } from '../../exchange/folder-reader.ts'
import { jsonRecords } from '../json-files.ts'
import { idText, when } from '../source-fields.ts'
import type { SourceFiles } from '../source-files.ts'

const words = z.string().nullish()
const flag = z.boolean().nullish()
const number = z.number().nullish()

const user = z.object({
  id: idText.nullish(),
  name: words,
  email: words,
  role: words.describe('of the export'),
  course_role: words.describe('of the API'),
})
type EdUser = z.output<typeof user>

/** What posts of `threads.json` and those of the API's answers have, each by its own names. */
const post = {
  ...{ url: words, id: idText.nullish(), created_at: when, votes: number, vote_count: number },
  ...{ user: user.nullish(), user_id: idText.nullish() },
  ...{ text: words, document: words, content: words },
  ...{
    endorsed: flag,
    is_endorsed: flag,
    anonymous: flag,
    is_anonymous: flag,
    anonymous_id: idText.nullish(),
  },
  ...{ private: flag, is_private: flag, deleted_at: words },
  comments: z.array(z.unknown()).nullish(),
}
const comment = z.object({ ...post, is_resolved: flag })
const thread = z.object({
  ...post,
  ...{ type: z.string(), number, title: words, category: words, subcategory: words, subsubcategory: words },
  ...{ views: number, view_count: number, unique_views: number, course_id: idText.nullish() },
  ...{ accepted_id: idText.nullish(), duplicate_id: idText.nullish(), pinned_at: words },
  answers: z.array(z.unknown()).nullish(),
})
const answerOfApi = z.object({ thread: z.unknown(), users: z.array(user).nullish() })

type Raw = z.output<typeof comment>

/** A post, whichever of the two it was in. */
export interface EdPost {
  readonly id: string
  readonly at: Date
  readonly user: EdUser | null
  /** Ed's XML, if the file has it. */
  readonly document: string
  readonly text: string
  readonly votes: number
  readonly isEndorsed: boolean
  readonly isAnonymous: boolean
  /** Of the stand-in name in the thread. */
  readonly anonymousId: string | null
  readonly isPrivate: boolean
  readonly isDeleted: boolean
}

export interface EdComment extends EdPost {
  /** Its number in Ed's addresses. */
  readonly number: string
  readonly parent: string | null
  readonly top: 'answer' | 'reply'
}

export interface EdThread extends EdPost {
  readonly course: string | null
  readonly type: string
  /** As texts name it: `#3`. */
  readonly number: string | null
  readonly title: string
  /** From the widest to the narrowest. */
  readonly categories: readonly string[]
  readonly views: number
  /** Numbers of a comment and of a thread. */
  readonly accepted: string | null
  readonly duplicateOf: string | null
  readonly isPinned: boolean
  readonly comments: readonly EdComment[]
}

/**
 * The threads of an export, or of answers of the API: lists or one a file.
 * @throws ExchangeError with file, record and reason
 */
export async function* edThreads(files: SourceFiles, unknown: Map<string, number>): AsyncGenerator<EdThread> {
  for await (const { value, place } of jsonRecords(files)) yield* threadsOf(value, place, unknown)
}

function* threadsOf(value: unknown, place: string, unknown: Map<string, number>): Generator<EdThread> {
  if (typeof value !== 'object' || value === null || !('thread' in value)) {
    yield threadOf(value, new Map(), place, unknown)
    return
  }
  const answer = fitting(answerOfApi, value, place)
  noteUnknown(unknown, 'threads', value, answerOfApi.shape)
  const users = new Map(
    (answer.users ?? []).flatMap((one) => (one.id == null ? [] : [[one.id, one] as const])),
  )
  yield threadOf(answer.thread, users, place, unknown)
}

type Users = ReadonlyMap<string, EdUser>

function threadOf(value: unknown, users: Users, place: string, unknown: Map<string, number>): EdThread {
  const raw = fitting(thread, value, place)
  noteUnknown(unknown, 'threads', value as object, thread.shape)
  const [, course = null, id = raw.id ?? null] =
    /\/courses\/(\d+)\/discussion\/(\d+)/.exec(raw.url ?? '') ?? []
  if (id === null) throw new ExchangeError(`${place}: url: it has no number of a thread`)
  return {
    ...postOf(raw, id, users),
    ...{ course: course ?? raw.course_id ?? null, type: raw.type, title: raw.title ?? '' },
    number: raw.number == null ? null : String(raw.number),
    categories: [raw.category, raw.subcategory, raw.subsubcategory].filter(
      (name) => (name ?? '').trim() !== '',
    ) as string[],
    views: raw.views ?? raw.view_count ?? 0,
    ...{ accepted: raw.accepted_id ?? null, duplicateOf: raw.duplicate_id ?? null },
    isPinned: (raw.pinned_at ?? '') !== '',
    comments: commentsOf(raw, { thread: id, users, place, unknown }),
  }
}

interface Around {
  readonly thread: string
  readonly users: Users
  readonly place: string
  readonly unknown: Map<string, number>
}

/** All below a thread, however deep, parents first. */
function commentsOf(
  raw: z.output<typeof thread>,
  { thread: id, users, place, unknown }: Around,
): EdComment[] {
  const found: EdComment[] = []
  const open = [
    ...(raw.answers ?? []).map((value) => ({ value, parent: null, top: 'answer' as const })),
    ...(raw.comments ?? []).map((value) => ({ value, parent: null, top: 'reply' as const })),
  ].reverse() as { value: unknown; parent: string | null; top: 'answer' | 'reply' }[]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const at = `${place}, comment ${found.length + 1}`
    const below = fitting(comment, next.value, at)
    noteUnknown(unknown, 'comments', next.value as object, comment.shape)
    const number = /[?&](?:comment|answer)=(\d+)/.exec(below.url ?? '')?.[1] ?? below.id ?? null
    if (number === null) throw new ExchangeError(`${at}: url: it has no number of a comment`)
    const { parent, top } = next
    const one = { ...postOf(below, commentId(id, number), users), number, parent, top }
    found.push(one)
    for (const value of (below.comments ?? []).toReversed())
      open.push({ value, parent: one.id, top: 'reply' })
  }
  return found
}

/** As the forum's own addresses of what came from Ed have it. */
export const commentId = (thread: string, comment: string) => `${thread}-${comment}`

function postOf(raw: Omit<Raw, 'is_resolved'>, id: string, users: Users): EdPost {
  const texts = [raw.content, raw.document].map((text) => text ?? '')
  return {
    ...{ id, at: raw.created_at },
    user: raw.user ?? users.get(raw.user_id ?? '') ?? null,
    document: texts.find((text) => /^\s*<document\b/.test(text)) ?? '',
    text: raw.text ?? texts.at(-1) ?? '',
    votes: raw.votes ?? raw.vote_count ?? 0,
    isEndorsed: (raw.endorsed ?? raw.is_endorsed) === true,
    // Whichever says it.
    isAnonymous: raw.anonymous === true || raw.is_anonymous === true,
    anonymousId: raw.anonymous_id ?? null,
    isPrivate: raw.private === true || raw.is_private === true,
    isDeleted: (raw.deleted_at ?? '') !== '',
  }
}
