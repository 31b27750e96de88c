import { z } from 'zod'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { fitting, noteUnknown } from '../../exchange/folder-reader.ts'
import { idText as id, ignored, when as time } from '../source-fields.ts'
import type { SourceFile, SourceFiles } from '../source-files.ts'
import { recordsOf } from '../source-json.ts'

/** From whom a name is kept: no one, classmates, everyone. What isn't said, or is said in another word, is kept from everyone. */
export type Anonymity = 'no' | 'stud' | 'full'

export interface PiazzaVersion {
  readonly title: string
  readonly content: string
  readonly at: Date
  readonly uid: string | null
  /** What stands in for the uid within a thread. */
  readonly standIn: string | null
  readonly anonymity: Anonymity
}

/** A post of either kind of export. */
export interface PiazzaPost {
  readonly id: string
  readonly type: string
  /** The id of the post that begins its thread. */
  readonly thread: string
  /** In the course, for `@6`. */
  readonly number: number | null
  /** null: the file doesn't say who could read it, or as its thread. */
  readonly visibility: 'course' | 'private' | 'deleted' | null
  /** The oldest first. */
  readonly versions: readonly [PiazzaVersion, ...PiazzaVersion[]]
  readonly tags: readonly string[]
  /** Uids of those who found it good. */
  readonly good: readonly string[]
  readonly views: number
}

/** The file of posts. `isFlat`: the newer export, in which each post is a record of its own. */
export function postsFileOf({ find }: SourceFiles): { file: SourceFile; isFlat: boolean } | null {
  const nested = find(/(?:^|\/)class_content\.json$/)
  if (nested !== null) return { file: nested, isFlat: false }
  const flat = find(/(?:^|\/)class_content_flat\.json$/)
  return flat === null ? null : { file: flat, isFlat: true }
}

/** The posts of an export: of a thread its first one comes first in the older export, anywhere in the newer one. */
export async function* piazzaPosts(
  files: SourceFiles,
  unknown: Map<string, number>,
): AsyncGenerator<PiazzaPost> {
  const posts = postsFileOf(files)
  if (posts === null)
    throw new ExchangeError(`${files.title} has no class_content.json, which every export has`)
  yield* posts.isFlat ? flatPosts(posts.file, unknown) : nestedPosts(posts.file, unknown)
}

const uids = z.array(z.string()).nullish()
const words = z.array(z.string()).nullish()
const known = <Value extends z.ZodType>(value: Value) => value.nullish().transform((given) => given ?? null)

/** Empty is none. */
const knownId = known(z.union([z.literal('').transform(() => null), id]))

const version = z.object({
  subject: known(z.string()),
  content: known(z.string()),
  uid: knownId,
  uid_a: knownId,
  anon: known(z.string()),
  created: known(time),
})

const shared = {
  id,
  type: z.string().max(100),
  nr: known(z.int()),
  status: known(z.string()),
  ...version.shape,
  config: known(z.looseObject({ feed_groups: z.unknown().optional() })),
  history: z.array(z.unknown()).nullish(),
  children: z.array(z.unknown()).nullish(),
  tags: words,
  folders: words,
  tag_good_arr: uids,
  tag_endorse_arr: uids,
  unique_views: known(z.int().nonnegative()),
  ...ignored(
    'change_log no_answer_followup no_answer no_upvotes tag_good tag_endorse is_tag_good is_tag_endorse',
  ),
  ...ignored(
    'updated data bucket_name bucket_order d-bucket i_answer s_answer q_edits i_edits s_edits t t_created',
  ),
  ...ignored(
    'my_favorite is_bookmarked bookmarked num_favorites request_instructor default_anonymity drafts upvote_ids',
  ),
}
const nestedPost = z.object(shared)

async function* nestedPosts(file: SourceFile, unknown: Map<string, number>): AsyncGenerator<PiazzaPost> {
  let number = 0
  for await (const root of recordsOf(file, '$.*', nestedPost, unknown)) {
    number += 1
    const place = `${file.name}, record ${number}`
    const first = versionsOf(root, place, unknown, file)
    const [thread, visibility] = [root.id, visibilityIn(root)]
    yield { thread, visibility, ...postOf(root), versions: first }
    // However deep they are: what is below a post comes after it, in the order of time.
    const waiting = childrenOf(root, first[0].at)
    const below: PiazzaPost[] = []
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const child = fitting(nestedPost, next.value, place)
      noteUnknown(unknown, file.name, next.value as object, nestedPost.shape)
      const versions = versionsOf(child, place, unknown, file, next.after)
      below.push({ thread, visibility: visibilityIn(child) ?? visibility, ...postOf(child), versions })
      for (const one of childrenOf(child, versions[0].at)) waiting.push(one)
    }
    yield* below.sort((one, other) => one.versions[0].at.getTime() - other.versions[0].at.getTime())
  }
}

type Nested = z.output<typeof nestedPost>

const childrenOf = ({ children }: Nested, after: Date) =>
  (children ?? []).map((value) => ({ value, after })).reverse()

/** @param after when what is above it was written: a child may say no time of its own */
function versionsOf(
  post: Nested,
  place: string,
  unknown: Map<string, number>,
  file: SourceFile,
  after: Date | null = null,
): [PiazzaVersion, ...PiazzaVersion[]] {
  const history = (post.history ?? []).map((value) => {
    const one = fitting(version, value, place)
    noteUnknown(unknown, file.name, value as object, version.shape)
    return one
  })
  const [first, ...later] = (history.length > 0 ? history : [post])
    .map(({ subject, content, uid, uid_a, anon, created }): PiazzaVersion => {
      const at = created ?? post.created ?? after
      if (at === null) throw new ExchangeError(`${place}: created: it is missing`)
      // Below a thread a text is its subject.
      const isBelow = after !== null && (content ?? '') === ''
      return {
        ...{ title: subject ?? '', content: (isBelow ? subject : content) ?? '', at },
        ...{ uid, standIn: uid_a, anonymity: anonymityOf(anon) },
      }
    })
    // The newest comes first, and of two of one time too.
    .reverse()
    .sort((one, other) => one.at.getTime() - other.at.getTime())
  if (first === undefined) throw new ExchangeError(`${place}: history: it is empty`)
  return [first, ...later]
}

const postOf = (post: Nested) => ({
  ...{ id: post.id, type: post.type, number: post.nr },
  tags: [...(post.folders ?? []), ...(post.tags ?? [])],
  good: [...new Set([...(post.tag_good_arr ?? []), ...(post.tag_endorse_arr ?? [])])],
  views: post.unique_views ?? 0,
})

const visibilityIn = ({ status, config }: Nested) => visibilityOf(status, String(config?.feed_groups ?? ''))

const anonymityOf = (said: string | null): Anonymity => (said === 'no' || said === 'stud' ? said : 'full')

/** What is neither for all nor deleted is for few. */
function visibilityOf(status: string | null, groups: string): PiazzaPost['visibility'] {
  if (status === 'deleted') return 'deleted'
  if (groups !== '') return 'private'
  if (status === null) return null
  return status === 'active' ? 'course' : 'private'
}

const flatPost = z.object({
  ...{ id, type: z.string().max(100), thread_id: id, parent_id: knownId },
  ...{ subject: known(z.string()), content: known(z.string()), created: time },
  ...{ anonimity: known(z.string()), editors: z.array(id).nullish(), tag_good_arr: uids },
  ...{ views: known(z.int().nonnegative()), nr: known(z.int()), status: known(z.string()) },
  ...{ folders: words, tags: words },
  ...ignored('score'),
})

/** The first of the editors is taken for the author. */
async function* flatPosts(file: SourceFile, unknown: Map<string, number>): AsyncGenerator<PiazzaPost> {
  for await (const post of recordsOf(file, '$.*', flatPost, unknown)) {
    const { subject, content, created: at, editors } = post
    const isBelow = post.thread_id !== post.id && (content ?? '') === ''
    yield {
      ...{ id: post.id, type: post.type, thread: post.thread_id, number: post.nr },
      visibility: visibilityOf(post.status, ''),
      versions: [
        {
          ...{ title: subject ?? '', content: (isBelow ? subject : content) ?? '', at },
          ...{ uid: editors?.[0] ?? null, standIn: null, anonymity: anonymityOf(post.anonimity) },
        },
      ],
      tags: [...(post.folders ?? []), ...(post.tags ?? [])],
      ...{ good: [...new Set(post.tag_good_arr)], views: post.views ?? 0 },
    }
  }
}
