import { noteUnknown } from '../../exchange/folder-reader.ts'
import type { Author, Written } from '../../exchange/format.ts'
import { addressOf } from '../../exchange/references.ts'
import { cleanLine } from '../../foreign/clean-text.ts'
import { ForeignCourse } from '../foreign-course.ts'
import { ON_TOP } from '../shared-notes.ts'
import type { Choices, Conversion, Converted } from '../source.ts'
import { ThreadAuthors } from '../thread-authors.ts'
import type { XmlElement } from '../xml-elements.ts'
import { type Activity, type Backup, usersOf } from './moodle-backup.ts'
import type { MoodleFiles } from './moodle-files.ts'
import {
  discussionId,
  elementsOfActivity,
  type Forum,
  type MoodleSurvey,
  postId,
  type Thread,
} from './moodle-survey.ts'
import { moodleText } from './moodle-text.ts'

/** What an element may have: all else is unknown. */
const KNOWN = {
  discussion: membersOf(
    'name firstpost userid groupid assessed timemodified usermodified timestart timeend pinned timelocked posts discussion_subs',
  ),
  post: membersOf(
    'parent userid created modified mailed subject message messageformat messagetrust attachment totalscore mailnow privatereplyto deleted wordcount charcount reviewed timereviewed ratings',
  ),
}

function membersOf(names: string): Readonly<Record<string, true>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, true]))
}

const HTML = 1

interface Read {
  readonly backup: Backup
  readonly survey: MoodleSurvey
  readonly kept: MoodleFiles
}

/** Writes the forums of a backup, one after the other. */
export class MoodleConverter {
  readonly #conversion: Conversion
  readonly #read: Read
  readonly #authors = new ThreadAuthors()
  readonly #asks = new Set<keyof Choices>()
  #categories = 0
  readonly course = new ForeignCourse()

  constructor(conversion: Conversion, read: Read) {
    this.#conversion = conversion
    this.#read = read
  }

  get asks(): readonly (keyof Choices)[] {
    return [...this.#asks]
  }

  async forum(forum: Forum): Promise<void> {
    const { writer, unknown } = this.#conversion
    const { activity, name, isNews } = forum
    this.#categories += 1
    const category = `${activity.kind} ${this.#categories}`
    if (!isNews)
      await writer.lines('categories', [{ id: category, slug: '', name, position: this.#categories }])
    for await (const element of elementsOfActivity(activity)) {
      if (element.name !== 'discussion' && element.name !== 'post') continue
      noteUnknown(unknown, activity.file.name, Object.fromEntries(element.fields), KNOWN[element.name])
      if (element.name === 'post') await this.#post(element, activity.kind, category)
    }
  }

  async #post(element: XmlElement, kind: Activity['kind'], category: string): Promise<void> {
    const { writer, tally } = this.#conversion
    const { survey, kept } = this.#read
    const id = postId(kind, element.id)
    const place = survey.places.get(id) ?? { leftOut: 'its post is not in the backup' }
    if ('leftOut' in place) {
      tally.skipped('replies', place.leftOut)
      return
    }
    const { thread } = place
    const isAnnounced = thread.forum.isNews && thread.held === null
    if (place.is !== 'question' && isAnnounced) {
      tally.skipped('replies', 'below an announcement, which has none here')
      return
    }
    const post = { ...(await this.#text(element, thread)), id }
    await kept.write(writer, tally)
    if (place.is === 'reply')
      await writer.lines('replies', [{ ...post, question: thread.id, answer: place.answer }])
    else if (place.is === 'answer') await writer.lines('answers', [this.#answer(post, thread)])
    else if (isAnnounced) {
      const { body, author, written_at, edited_at } = post
      await writer.lines('announcements', [
        { id: thread.id, title: thread.title, body, author, published_at: written_at, edited_at },
      ])
    } else {
      if (element.parent?.number('pinned') === 1) tally.note(ON_TOP)
      await writer.lines('questions', [this.#question(post, thread, thread.forum.isNews ? null : category)])
    }
  }

  #question(post: PostText & { id: string }, thread: Thread, category: string | null): Written<'questions'> {
    const { survey } = this.#read
    const isResolved = thread.accepted !== null || thread.resolvedAt !== null
    return {
      ...post,
      id: thread.id,
      addresses: [post.id],
      ...{ title: thread.title, tags: [...thread.tags], category, visibility: 'course' },
      state: this.#isHeld(thread) ? 'held(source)' : post.state,
      accepted_answer: thread.accepted,
      status: isResolved ? 'resolved' : 'unresolved',
      resolved_at: thread.resolvedAt?.toISOString() ?? null,
      closed: thread.closedAt === null ? null : { at: thread.closedAt.toISOString() },
      votes: survey.votes.get(post.id) ?? 0,
    }
  }

  #answer(post: PostText & { id: string }, thread: Thread): Written<'answers'> {
    const { votes, endorsed } = this.#read.survey
    const at = endorsed.get(post.id) ?? null
    return {
      ...post,
      question: thread.id,
      votes: votes.get(post.id) ?? 0,
      endorsement: at === null ? null : { at: at.toISOString() },
    }
  }

  #isHeld({ held }: Thread): boolean {
    if (held === null) return false
    if (held === 'a group') this.#asks.add('groups')
    const isHeld = held !== 'a group' || this.#conversion.choices.groups === 'hold'
    if (isHeld) this.#conversion.tally.note(`questions held because of ${held}`)
    return isHeld
  }

  async #text(element: XmlElement, thread: Thread): Promise<PostText> {
    const { tally, picture } = this.#conversion
    const { backup, survey, kept } = this.#read
    const { kind } = thread.forum.activity
    const attached = kept.attachedTo(kind, element.id)
    tally.skipped('files', 'attached, and no picture', attached.others)
    const isDeleted = element.number('deleted') === 1
    const body = isDeleted
      ? ''
      : await moodleText(
          {
            message: element.text('message') ?? '',
            format: element.number('messageformat') ?? HTML,
            attached: attached.pictures,
          },
          {
            site: backup.site,
            picture,
            own: (name) => {
              const file = kept.picture(kind, element.id, name)
              return file === null ? null : addressOf('file', file)
            },
            post: (of, discussion, post) => leadTo(survey, of, discussion, post),
          },
          tally,
        )
    this.course.read(body)
    const [created, modified] = [element.time('created') ?? new Date(0), element.time('modified')]
    return {
      author: isDeleted ? this.#authors.open(null) : this.#author(element.text('userid'), thread),
      body,
      state: this.#isReviewed(element, thread) ? 'shown' : 'held(source)',
      written_at: created.toISOString(),
      edited_at: modified !== null && modified > created ? modified.toISOString() : null,
    }
  }

  /** A plugin that says nothing of it may have had it all the same. */
  #isReviewed(element: XmlElement, { forum: { activity } }: Thread): boolean {
    if (activity.kind === 'forum') return true
    const reviewed = element.number('reviewed')
    if (reviewed !== null) return reviewed === 1
    this.#asks.add('groups')
    this.#conversion.tally.note('posts of which the backup doesn’t say whether they were reviewed')
    return this.#conversion.choices.groups === 'show'
  }

  #author(user: string | null, { id, forum, asker }: Thread): Author {
    const { backup } = this.#read
    if (user === null || !backup.people.has(user)) return this.#authors.open(null)
    if (backup.isAnonymized) return this.#authors.toEveryone(id, user)
    const { anonymous } = forum
    if (anonymous === 'no one' || (anonymous === 'asker' && user !== asker)) return this.#authors.open(user)
    this.#asks.add('anonymous')
    return this.#conversion.choices.anonymous === 'keep'
      ? this.#authors.toClassmates(id, user)
      : this.#authors.toEveryone(id, user)
  }

  /** Only who wrote something under their name, or is known to staff. */
  async people(): Promise<NonNullable<Converted['people']>> {
    const { backup } = this.#read
    this.course.hasAnonymous = this.#authors.hasAnonymous
    let users = 0
    for await (const user of usersOf(backup.fileNamed)) {
      users += 1
      if (!this.#authors.named.has(user.id)) continue
      const role = backup.staff.get(user.id) ?? null
      await this.#conversion.writer.lines('people', [
        { id: user.id, name: nameOf(user), email: user.text('email') || null, role },
      ])
    }
    return { users, former: new Set() }
  }
}

type PostText = Pick<Written<'replies'>, 'author' | 'body' | 'state' | 'written_at' | 'edited_at'>

/** In Korean the family name comes first. */
function nameOf(user: XmlElement): string {
  const [first, last] = [cleanLine(user.text('firstname') ?? ''), cleanLine(user.text('lastname') ?? '')]
  const isKorean = [first, last].every((name) => /^\p{Script=Hangul}+$/u.test(name))
  return isKorean ? `${last}${first}` : `${first} ${last}`.trim()
}

/** The post that an address names, or its discussion. */
function leadTo(
  { places, threads }: MoodleSurvey,
  kind: Activity['kind'],
  discussion: string,
  post: string | null,
): string | null {
  const id = post === null ? null : postId(kind, post)
  const place = id === null ? undefined : places.get(id)
  if (id !== null && place !== undefined && !('leftOut' in place) && place.is !== 'question')
    return addressOf(place.is, id)
  const thread = threads.get(discussionId(kind, discussion))
  return thread === undefined ? null : addressOf('question', thread.id)
}
