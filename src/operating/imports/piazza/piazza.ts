import { z } from 'zod'
import type { Author, Written } from '../../exchange/format.ts'
import { ForeignCourse } from '../foreign-course.ts'
import { ON_TOP } from '../shared-notes.ts'
import type { Conversion, Converted, Source } from '../source.ts'
import { idText, ignored } from '../source-fields.ts'
import type { SourceFiles } from '../source-files.ts'
import { recordsOf, valuesAt } from '../source-json.ts'
import { ThreadAuthors } from '../thread-authors.ts'
import {
  type Anonymity,
  type PiazzaPost,
  type PiazzaVersion,
  piazzaPosts,
  postsFileOf,
} from './piazza-posts.ts'
import { Survey } from './piazza-survey.ts'
import { piazzaText, piazzaTitle } from './piazza-text.ts'

/**
 * A course's download from Piazza, older (`class_content.json`) or newer (`class_content_flat.json`), with `users.json`. Untried against a
 * live Piazza: the newer shape is known from one generator of samples.
 */
export const PIAZZA: Source = {
  name: 'piazza',
  recognizes: async (files) => postsFileOf(files) !== null,
  bytesOf: (files) => (postsFileOf(files)?.file.size ?? 0) * 3 + (usersOf(files)?.size ?? 0) * 2,
  async convert(conversion: Conversion): Promise<Converted> {
    const { files, tally, choices, origin, unknown } = conversion
    tally.list(['people', 'questions', 'answers', 'replies', 'announcements'])
    const survey = new Survey(await staffOf(files), choices.groups === 'show')
    await survey.read(() => piazzaPosts(files, new Map()))
    const converter = new PiazzaConverter(conversion, survey)
    for await (const post of piazzaPosts(files, unknown)) await converter.post(post)
    const users = await converter.people()
    await converter.course.write(conversion, 'piazza', origin ?? (await originOf(files)))
    return { asks: survey.hasUnknown ? ['groups'] : [], people: users }
  },
}

const usersOf = ({ find }: SourceFiles) => find(/(?:^|\/)users\.json$/)

/** The course's number there, if it has one: the name of a file changes with each download. */
async function originOf(files: SourceFiles): Promise<string> {
  const config = files.find(/(?:^|\/)config\.json$/)
  if (config !== null)
    for await (const number of valuesAt(config, '$.course_number'))
      if ((typeof number === 'string' || typeof number === 'number') && number !== '') return String(number)
  return files.title
}

const text = z.string().nullish()
const user = z.object({
  ...{ user_id: idText, name: text, email: text, role: text },
  ...ignored('lti_ids days posts asks answers views'),
})

const ROLES: ReadonlyMap<string, 'learner' | 'assistant' | 'instructor'> = new Map(
  Object.entries({
    ...{ student: 'learner', ta: 'assistant', instructor: 'instructor', professor: 'instructor' },
  } as const),
)
const roleOf = (said: string | null | undefined) => ROLES.get(said?.toLowerCase() ?? '') ?? null

async function staffOf(files: SourceFiles): Promise<Set<string>> {
  const staff = new Set<string>()
  const file = usersOf(files)
  if (file === null) return staff
  for await (const { user_id, role } of recordsOf(file, '$.*', user, new Map()))
    if ((roleOf(role) ?? 'learner') !== 'learner') staff.add(user_id)
  return staff
}

const QUESTION_LEFT_OUT = 'their question was left out or is not in the file'

/** Tags that say who wrote a post, or how it is, not what it is about. */
const MARKS = new Set('student instructor-note instructor-question unanswered pin private poll'.split(' '))
const KINDS: ReadonlyMap<string, 'answers' | 'replies'> = new Map(
  Object.entries({
    ...{
      s_answer: 'answers',
      i_answer: 'answers',
      followup: 'replies',
      feedback: 'replies',
      dupe: 'replies',
    },
  } as const),
)

class PiazzaConverter {
  readonly #conversion: Conversion
  readonly #survey: Survey
  readonly #numbers: ReadonlyMap<number, string>
  readonly #authors = new ThreadAuthors()
  readonly #seen = new Set<string>()
  readonly course = new ForeignCourse()

  constructor(conversion: Conversion, survey: Survey) {
    this.#conversion = conversion
    this.#survey = survey
    this.#numbers = survey.questions
  }

  async post(post: PiazzaPost): Promise<void> {
    const { writer, tally } = this.#conversion
    const kind = post.id === post.thread ? 'questions' : (KINDS.get(post.type) ?? 'other posts')
    const fate = this.#survey.fateOf(post.thread)
    const why = this.#leftOut(post, kind, fate)
    this.#seen.add(post.id)
    if (kind === 'other posts' || why !== null) tally.skipped(kind, why ?? 'of a kind that is not known')
    else if (kind === 'answers') await writer.lines(kind, [await this.#answer(post)])
    else if (kind === 'replies') await writer.lines(kind, [{ ...(await this.#below(post)), answer: null }])
    else if (fate === 'announcement') await writer.lines('announcements', [await this.#announcement(post)])
    else await writer.lines('questions', [await this.#question(post)])
  }

  #leftOut(post: PiazzaPost, kind: string, fate: ReturnType<Survey['fateOf']>): string | null {
    if (this.#seen.has(post.id)) return 'twice in the export'
    if (typeof fate === 'object') return kind === 'questions' ? fate.leftOut : QUESTION_LEFT_OUT
    if (kind !== 'questions' && fate === 'announcement') return 'below an announcement, which has none here'
    if (this.#survey.links.has(post.id)) return 'a link from a duplicate, kept as that'
    return kind === 'questions' ? null : this.#survey.reasonAgainst(post)
  }

  async #question(post: PiazzaPost): Promise<Written<'questions'>> {
    const { id, visibility, versions, tags, good, views } = post
    const { choices } = this.#conversion
    const original = this.#survey.duplicates.get(id) ?? null
    const resolvedAt = this.#survey.resolved.get(id) ?? null
    const isPrivate = visibility === 'private'
    this.course.hasPrivate ||= isPrivate
    if (tags.includes('pin')) this.#conversion.tally.note(ON_TOP)
    return {
      ...(await this.#text(post, 'question')),
      title: piazzaTitle((versions.at(-1) ?? versions[0]).title),
      tags: [...new Set(tags.filter((tag) => !MARKS.has(tag)))],
      visibility: isPrivate ? 'private(source)' : 'course',
      was_public: !isPrivate,
      state: visibility === null && choices.groups === 'hold' ? 'held(source)' : 'shown',
      duplicate: original === null ? null : { of: original },
      status: resolvedAt === null ? 'unresolved' : 'resolved',
      resolved_at: resolvedAt?.toISOString() ?? null,
      ...{ votes: good.length, views },
    }
  }

  async #announcement(post: PiazzaPost): Promise<Written<'announcements'>> {
    const { id, body, author, written_at, edited_at } = await this.#text(post, 'question')
    const title = piazzaTitle((post.versions.at(-1) ?? post.versions[0]).title)
    return { id, title, body, author, published_at: written_at, edited_at }
  }

  async #answer(post: PiazzaPost): Promise<Written<'answers'>> {
    const { type, good, versions } = post
    const isEndorsed = type === 's_answer' && this.#survey.isGoodToStaff(good)
    return {
      ...(await this.#below(post)),
      votes: good.length,
      // When isn't said.
      endorsement: isEndorsed ? { at: (versions.at(-1) ?? versions[0]).at.toISOString() } : null,
    }
  }

  async #below(post: PiazzaPost) {
    const kind = KINDS.get(post.type) === 'answers' ? 'answer' : 'reply'
    return { ...(await this.#text(post, kind)), question: post.thread }
  }

  /** The last version is the post, and the others are its history. */
  async #text({ id, thread, versions }: PiazzaPost, kind: 'question' | 'answer' | 'reply') {
    const { writer, tally, picture } = this.#conversion
    const bodyOf = (content: string) => piazzaText(content, { tally, numbers: this.#numbers, picture })
    const authors = versions.map((version) => this.#author(version, versions, thread, id))
    const author = authors[0] ?? this.#authors.open(null)
    const editor = authors.at(-1) ?? author
    const [first, last] = [versions[0], versions.at(-1) ?? versions[0]]
    const isEdited = versions.length > 1
    for (const [index, version] of versions.slice(0, -1).entries())
      await writer.lines('versions', [
        {
          ...{ post: { kind, id }, version: index + 1, author: authors[index] ?? author },
          title: kind === 'question' ? piazzaTitle(version.title) : null,
          ...{ body: await bodyOf(version.content), written_at: version.at.toISOString() },
        },
      ])
    const body = await bodyOf(last.content)
    this.course.read(body)
    return {
      ...{ id, author, body, version: versions.length, written_at: first.at.toISOString() },
      edited_at: isEdited ? last.at.toISOString() : null,
      editor: isEdited ? editor : null,
    }
  }

  /**
   * Of all versions of a post by somebody, the one that says least of them counts. An author reads who edited their post, so that of those
   * whose name classmates didn't see, the first author alone is known to staff.
   */
  #author(version: PiazzaVersion, all: readonly PiazzaVersion[], thread: string, id: string): Author {
    const { uid, standIn } = version
    const own = all.filter((other) => (uid === null ? other === version : other.uid === uid))
    const says = (anonymity: Anonymity) => own.some((one) => one.anonymity === anonymity)
    if (!says('full') && !says('stud')) return this.#authors.open(uid)
    if (!says('full') && uid !== null && uid === all[0]?.uid) return this.#authors.toClassmates(thread, uid)
    return this.#authors.toEveryone(thread, uid ?? standIn ?? `of ${id}`)
  }

  /** Only who wrote something under their name, or is known to staff. */
  async people(): Promise<NonNullable<Converted['people']>> {
    const { files, writer, unknown } = this.#conversion
    this.course.hasAnonymous = this.#authors.hasAnonymous
    const former = new Set(this.#authors.named)
    const file = usersOf(files)
    let users = 0
    if (file !== null)
      for await (const { user_id: id, name, email, role } of recordsOf(file, '$.*', user, unknown)) {
        users += 1
        if (!former.delete(id)) continue
        const known = roleOf(role) ?? (this.#survey.isStaff(id) ? 'assistant' : null)
        await writer.lines('people', [{ id, name: name ?? '', email: email || null, role: known }])
      }
    for (const id of former) await writer.lines('people', [{ id, name: '' }])
    return { users, former }
  }
}
