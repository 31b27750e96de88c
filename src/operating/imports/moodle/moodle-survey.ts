import { isPast } from '../../exchange/format.ts'
import type { ImportTally } from '../../exchange/import-tally.ts'
import { elementsOf, type XmlElement } from '../xml-elements.ts'
import type { Activity } from './moodle-backup.ts'

const NAMES = new Set(['forum', 'moodleoverflow', 'discussion', 'post', 'rating', 'tag'])

/** What of an activity is read, each when it ends. */
export const elementsOfActivity = ({ file }: Activity) => elementsOf(file, 'activity', NAMES)

/** Moodle numbers the posts of each kind of activity by itself, so that those of moodleoverflow begin with `o`. */
export const discussionId = (kind: Activity['kind'], id: string) => `${kind === 'forum' ? '' : 'o'}d${id}`
export const postId = (kind: Activity['kind'], id: string) => `${kind === 'forum' ? '' : 'o'}p${id}`

/** Of a rating in moodleoverflow: what a teacher says, and what the asker says. */
const [DOWN, UP, SOLVED, HELPFUL] = [1, 2, 3, 4]

/** Who is anonymous there: no one, the asker of each discussion, everyone. null: the file doesn't say. */
export type Anonymous = 'no one' | 'asker' | 'everyone' | null

export interface Forum {
  readonly activity: Activity
  readonly name: string
  readonly isNews: boolean
  readonly anonymous: Anonymous
}

/** A discussion: its question is its first post. */
export interface Thread {
  readonly id: string
  readonly forum: Forum
  /** Number of its first post. */
  readonly first: string
  readonly title: string
  readonly asker: string | null
  /** Why not everyone could read it, or perhaps not; null: everyone could. */
  readonly held: 'a group' | 'their time' | 'a hidden forum' | null
  readonly closedAt: Date | null
  readonly tags: readonly string[]
  accepted: string | null
  resolvedAt: Date | null
}

/** Where a post belongs, or why it is left out. */
export type Place =
  | { readonly thread: Thread; readonly is: 'question' | 'answer' }
  | { readonly thread: Thread; readonly is: 'reply'; readonly answer: string }
  | { readonly leftOut: string }

interface Post {
  readonly id: string
  readonly discussion: string
  readonly parent: string
  readonly user: string | null
  readonly at: Date
  readonly isPrivate: boolean
  readonly isDeleted: boolean
}

/** What the first reading of a backup's forums finds: numbers, times and titles, no texts. */
export class MoodleSurvey {
  readonly #staff: ReadonlyMap<string, unknown>
  readonly #tally: ImportTally
  readonly forums: Forum[] = []
  readonly threads = new Map<string, Thread>()
  readonly places = new Map<string, Place>()
  readonly votes = new Map<string, number>()
  /** Posts that a teacher called solutions → when. */
  readonly endorsed = new Map<string, Date>()

  constructor(staff: ReadonlyMap<string, unknown>, tally: ImportTally) {
    this.#staff = staff
    this.#tally = tally
  }

  async read(activity: Activity): Promise<void> {
    const { kind } = activity
    const [discussions, posts, tags] = [
      [] as XmlElement[],
      new Map<string, Post>(),
      new Map<string, string[]>(),
    ]
    const helpful: string[] = []
    let forum: Forum | null = null
    for await (const element of elementsOfActivity(activity)) {
      if (element.name === 'discussion') discussions.push(element)
      else if (element.name === 'post') posts.set(element.id, postOf(element))
      else if (element.name === 'rating') this.#rating(activity, element, helpful)
      else if (element.name === 'tag') {
        const post = String(element.number('itemid') ?? 0)
        tags.set(post, [...(tags.get(post) ?? []), element.text('rawname') ?? ''])
      } else forum = forumOf(activity, element)
    }
    if (forum === null) return
    this.forums.push(forum)
    const byDiscussion = Map.groupBy(posts.values(), ({ discussion }) => discussion)
    for (const discussion of discussions) {
      const own = byDiscussion.get(discussion.id) ?? []
      const first = firstOf(discussion, own)
      if (first === null) this.#tally.skipped('questions', 'its first post is not in the backup')
      const thread = first === null ? null : threadOf(discussion, forum, first, tags.get(first.id) ?? [])
      if (thread !== null) this.threads.set(thread.id, thread)
      this.#place(thread, own)
    }
    for (const post of helpful) this.#accept(kind, post)
  }

  #rating({ kind }: Activity, element: XmlElement, helpful: string[]): void {
    const post = element.parent?.name === 'post' ? element.parent.id : null
    const rating = kind === 'moodleoverflow' ? element.number('rating') : null
    if (post === null || rating === null) {
      this.#tally.skipped('ratings', 'a grade of a post')
      return
    }
    const id = postId(kind, post)
    if (rating === SOLVED) this.endorsed.set(id, element.time('firstrated') ?? new Date(0))
    else if (rating === HELPFUL) helpful.push(post)
    else if (rating === UP || rating === DOWN) {
      this.votes.set(id, (this.votes.get(id) ?? 0) + (rating === UP ? 1 : -1))
      this.#tally.note('votes, of which the sum comes along')
    } else this.#tally.skipped('ratings', 'of a kind that is not known')
  }

  #place(thread: Thread | null, posts: readonly Post[]): void {
    const byId = new Map(posts.map((post) => [post.id, post]))
    const known = { parents: new Set(posts.map(({ parent }) => parent)), tops: new Map<string, Top>() }
    for (const post of posts) {
      const place = placeOf(post, thread, byId, known)
      const kind = thread?.forum.activity.kind ?? 'forum'
      const id = postId(kind, post.id)
      this.places.set(id, place)
      if (thread === null || 'leftOut' in place || place.is !== 'answer') continue
      const endorsedAt = this.endorsed.get(id) ?? null
      if (endorsedAt !== null && endorsedAt < post.at) this.endorsed.set(id, post.at)
      const isByStaff = post.user !== null && this.#staff.has(post.user)
      if ((endorsedAt !== null || isByStaff) && (thread.resolvedAt === null || post.at < thread.resolvedAt))
        thread.resolvedAt = post.at
    }
  }

  /** One answer is accepted: the first that the asker calls helpful. */
  #accept(kind: Activity['kind'], post: string): void {
    const place = this.places.get(postId(kind, post))
    if (place === undefined || 'leftOut' in place || place.is !== 'answer' || place.thread.accepted !== null)
      this.#tally.note('marks as helpful beside the first of a question')
    else place.thread.accepted = postId(kind, post)
  }
}

function forumOf(activity: Activity, element: XmlElement): Forum {
  const said = element.number('anonymous')
  const anonymous = said === null ? null : ((['no one', 'asker'] as const)[said] ?? 'everyone')
  return {
    activity,
    name: element.text('name') ?? '',
    isNews: element.text('type') === 'news',
    // A forum of Moodle itself has no such thing.
    anonymous: activity.kind === 'forum' ? (anonymous ?? 'no one') : anonymous,
  }
}

function postOf(element: XmlElement): Post {
  return {
    id: element.id,
    discussion:
      element.parent?.name === 'discussion' ? element.parent.id : element.fail('it is in no discussion'),
    parent: String(element.number('parent') ?? 0),
    user: element.text('userid'),
    at: pastIn(element),
    isPrivate: (element.number('privatereplyto') ?? 0) !== 0,
    isDeleted: element.number('deleted') === 1,
  }
}

function pastIn(element: XmlElement): Date {
  const at = element.time('created') ?? element.fail('it has no time: created')
  return isPast(at.getTime()) ? at : element.fail('it was created in the future')
}

/** The one that the discussion names, or the one below none. */
function firstOf(discussion: XmlElement, posts: readonly Post[]): Post | null {
  const first = String(discussion.number('firstpost') ?? 0)
  return posts.find(({ id }) => id === first) ?? posts.find(({ parent }) => parent === '0') ?? null
}

function threadOf(discussion: XmlElement, forum: Forum, first: Post, tags: readonly string[]): Thread {
  const now = new Date()
  const [start, end] = [discussion.time('timestart'), discussion.time('timeend')]
  const isTimely = (start === null || start <= now) && (end === null || end > now)
  const closedAt = discussion.time('timelocked')
  return {
    ...{
      id: discussionId(forum.activity.kind, discussion.id),
      forum,
      first: first.id,
      asker: first.user,
      tags,
    },
    title: discussion.text('name') ?? '',
    held: forum.activity.isHidden
      ? 'a hidden forum'
      : !isTimely
        ? 'their time'
        : (discussion.number('groupid') ?? -1) > 0
          ? 'a group'
          : null,
    closedAt: closedAt !== null && closedAt <= now ? closedAt : null,
    ...{ accepted: null, resolvedAt: null },
  }
}

/** The answer that a post is, or is below. */
type Top = { readonly top: string } | { readonly leftOut: string }

function placeOf(
  post: Post,
  thread: Thread | null,
  byId: ReadonlyMap<string, Post>,
  known: { readonly parents: ReadonlySet<string>; readonly tops: Map<string, Top> },
): Place {
  if (thread === null) return { leftOut: 'its question is not in the backup' }
  if (post.isPrivate) return { leftOut: 'a private reply' }
  if (post.isDeleted && !known.parents.has(post.id)) return { leftOut: 'deleted there' }
  if (post.id === thread.first) return { thread, is: 'question' }
  const found = topOf(post, thread.first, byId, known.tops)
  if ('leftOut' in found) return found
  if (found.top === post.id) return { thread, is: 'answer' }
  return { thread, is: 'reply', answer: postId(thread.forum.activity.kind, found.top) }
}

/** What is below a private reply is as private, and a circle leads nowhere. */
function topOf(post: Post, first: string, byId: ReadonlyMap<string, Post>, tops: Map<string, Top>): Top {
  const passed = new Set<string>()
  let found: Top | null = null
  for (let at = post; found === null; ) {
    const next = byId.get(at.parent)
    passed.add(at.id)
    if (at.parent === first || at.parent === '0') found = { top: at.id }
    else if (next === undefined || passed.has(next.id)) found = { leftOut: 'its post is not in the backup' }
    else if (next.isPrivate) found = { leftOut: 'below a private reply' }
    else {
      found = tops.get(next.id) ?? null
      at = next
    }
  }
  for (const id of passed) tops.set(id, found)
  return found
}
