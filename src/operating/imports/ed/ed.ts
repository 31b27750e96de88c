import { isOfStaff } from '../../exchange/format.ts'
import { addressOf } from '../../exchange/references.ts'
import { cleanLine, cut } from '../../foreign/clean-text.ts'
import { Discussions, type Hand, type Topic, type Writer } from '../discussion.ts'
import { foreignHtml, type Leads, withReferences } from '../foreign-html.ts'
import { beginningOf, bytesOfTwo, jsonFilesOf, unreadBeside } from '../json-files.ts'
import { ON_TOP } from '../shared-notes.ts'
import type { Conversion, Converted, Source } from '../source.ts'
import { countOf, personKey, plainHtml } from '../source-fields.ts'
import { edHtml } from './ed-document.ts'
import { commentId, type EdComment, type EdPost, type EdThread, edThreads } from './ed-threads.ts'

/** Roles that Ed has in a course. */
const ROLES: ReadonlyMap<string, Writer['role']> = new Map(
  Object.entries({
    ...{ student: 'learner', mentor: 'assistant', tutor: 'assistant', ta: 'assistant', staff: 'assistant' },
    ...{ admin: 'instructor', instructor: 'instructor' },
  } as const),
)

const SPOILERS = 'texts with spoilers, which are shown as quotes here'
const BROKEN = 'texts whose markup is broken: their words were taken'

/**
 * Ed Discussion: `threads.json` of a course's analytics, or threads as its API answers with them. Untried against a live Ed: the shapes are
 * those that public programs read.
 */
export const ED: Source = {
  name: 'ed',
  async recognizes(files) {
    const [first] = jsonFilesOf(files)
    if (first === undefined) return false
    const text = await beginningOf(first)
    const isExport = /^\s*\[\s*\{/.test(text) && /"url"\s*:\s*"[^"]*\/discussion\/\d+/.test(text)
    const isOfApi =
      /^\s*\[?\s*\{\s*"(?:thread|users)"\s*:/.test(text) && /"is_anonymous"|"course_role"/.test(text)
    return isExport || isOfApi
  },
  bytesOf: (files) => bytesOfTwo(jsonFilesOf(files)),
  convert: async (conversion) => new EdConverter(conversion, await indexOf(conversion)).run(),
}

/** What threads refer to. There are no texts: an export may exceed the memory. */
interface Index {
  readonly course: string | null
  /** Those that become questions. */
  readonly questions: ReadonlySet<string>
  /** As texts name them → their ids. */
  readonly byNumber: ReadonlyMap<string, string>
  readonly comments: ReadonlyMap<string, 'answer' | 'reply'>
  readonly duplicates: ReadonlyMap<string, string>
}

async function indexOf({ files }: Conversion): Promise<Index> {
  let course: string | null = null
  const questions = new Set<string>()
  const byNumber = new Map<string, string>()
  const comments = new Map<string, 'answer' | 'reply'>()
  const duplicates = new Map<string, string>()
  for await (const thread of edThreads(files, new Map())) {
    course ??= thread.course
    if (thread.isDeleted || announcerOf(thread) !== null) continue
    questions.add(thread.id)
    if (thread.number !== null) byNumber.set(thread.number, thread.id)
    if (thread.duplicateOf !== null) duplicates.set(thread.id, thread.duplicateOf)
    for (const { id, top } of thread.comments) comments.set(id, top)
  }
  return { course, questions, byNumber, comments, duplicates }
}

/** Who announced it; null: it is a discussion, as it is also where an announcement would show what was private or anonymous. */
function announcerOf({ type, isPrivate, isAnonymous, user }: EdThread): EdPost['user'] {
  const isByStaff = isOfStaff(ROLES.get(user?.role ?? user?.course_role ?? ''))
  return type === 'announcement' && isByStaff && !isPrivate && !isAnonymous && nameOf(user) !== ''
    ? user
    : null
}

const nameOf = (user: EdPost['user']) => cleanLine(user?.name ?? '')

class EdConverter {
  readonly #conversion: Conversion
  readonly #index: Index
  readonly #origin: string
  readonly #discussions: Discussions
  readonly #categories = new Map<string, string>()
  readonly #seen = new Set<string>()
  #asksWho = false

  constructor(conversion: Conversion, index: Index) {
    this.#conversion = conversion
    this.#index = index
    this.#origin = conversion.origin ?? index.course ?? conversion.files.title
    this.#discussions = new Discussions(conversion)
  }

  async run(): Promise<Converted> {
    const { files, writer } = this.#conversion
    await this.#discussions.write(this.#topics())
    await writer.lines(
      'categories',
      [...this.#categories.keys()].map((name, position) => ({ id: name, slug: '', name, position })),
    )
    await this.#discussions.end('ed', this.#origin)
    return { asks: this.#asksWho ? ['anonymous'] : [], unread: unreadBeside(files, jsonFilesOf(files)) }
  }

  async *#topics(): AsyncGenerator<Topic> {
    const { files, unknown, tally } = this.#conversion
    for await (const thread of edThreads(files, unknown)) {
      const announcer = announcerOf(thread)
      if (this.#seen.has(thread.id)) tally.skipped('questions', 'twice in the files')
      else if (announcer === null) yield this.#topic(thread)
      else if (thread.isDeleted) tally.skipped('announcements', 'deleted there')
      else await this.#announce(thread, this.#writerOf(announcer))
      this.#seen.add(thread.id)
    }
  }

  async #announce(thread: EdThread, by: Writer | null): Promise<void> {
    if (by === null) return
    const { id, title, at, comments } = thread
    const answers = comments.filter(({ top }) => top === 'answer').length
    this.#conversion.tally.skipped('answers', 'below an announcement', answers)
    this.#conversion.tally.skipped('replies', 'below an announcement', comments.length - answers)
    await this.#discussions.announce(
      { id, title, body: await this.#markdown(thread), published_at: at.toISOString() },
      by,
    )
  }

  #topic(thread: EdThread): Topic {
    const { tally } = this.#conversion
    if (thread.isPinned) tally.note(ON_TOP)
    if (thread.isEndorsed) tally.note('questions endorsed there: answers alone are endorsed here')
    const [category = null, ...narrower] = thread.categories
      .map((name) => cut(cleanLine(name), 200))
      .filter((name) => name !== '')
    if (category !== null && !thread.isDeleted) this.#categories.set(category, category)
    const isQuestion = thread.type === 'question'
    return {
      ...this.#post(thread),
      ...{ title: thread.title, category, views: countOf(thread.views) },
      // A post that asks nothing says what it is about.
      tags: isQuestion || category === null ? narrower : [category, ...narrower],
      ...{ isPrivate: thread.isPrivate, isHeld: false },
      acceptedAnswer: thread.accepted === null ? null : commentId(thread.id, thread.accepted),
      duplicateOf: this.#original(thread.id),
      entries: thread.comments.map((comment) => ({
        ...this.#post(comment),
        ...{ parent: comment.parent, top: comment.top, isEndorsed: comment.isEndorsed },
        withheld: this.#withheld(comment, thread),
      })),
    }
  }

  /** There is no private reply here, and a whole thread is never made private for one. */
  #withheld({ isPrivate }: EdComment, thread: EdThread): string | null {
    return isPrivate && !thread.isPrivate ? 'private there, below a question that is not' : null
  }

  /** The question that a question repeats, unless the files don't have it, or they repeat each other. */
  #original(id: string): string | null {
    const { duplicates, questions } = this.#index
    const original = duplicates.get(id) ?? null
    if (original === null) return null
    const seen = new Set<string>()
    for (
      let next: string | undefined = original;
      next !== undefined && !seen.has(next);
      next = duplicates.get(next)
    )
      seen.add(next)
    const isThere = questions.has(original) && !seen.has(id)
    if (!isThere)
      this.#conversion.tally.note('duplicates of themselves, or of what is not in the files: not linked')
    return isThere ? original : null
  }

  #post(post: EdPost) {
    const { id, at, isDeleted } = post
    return {
      ...{ id, at, isDeleted, votes: countOf(post.votes), hand: this.#handOf(post) },
      body: () => this.#markdown(post),
    }
  }

  /** An anonymous post has its author's name and address, and doesn't say from whom they were kept. */
  #handOf({ user, isAnonymous, anonymousId, isDeleted }: EdPost): Hand {
    const writer = this.#writerOf(user)
    if (!isAnonymous) return writer === null ? 'gone' : { openly: writer }
    if (writer !== null && !isDeleted) this.#asksWho = true
    if (writer !== null && this.#conversion.choices.anonymous === 'keep') return { forStaff: writer }
    return { nobody: anonymousId ?? writer?.id ?? null }
  }

  #writerOf(user: EdPost['user']): Writer | null {
    const name = nameOf(user)
    if (user === null || name === '') return null
    const email = cleanLine(user.email ?? '') || null
    const id = user.id ?? personKey(this.#origin, email ?? name)
    return { id, name, email, role: ROLES.get(user.role ?? user.course_role ?? '') ?? null }
  }

  async #markdown({ document, text }: EdPost): Promise<string> {
    const { tally } = this.#conversion
    const read = document === '' ? null : edHtml(document)
    if (document !== '' && read === null) tally.note(BROKEN)
    if (read !== null) {
      tally.skipped('files', 'behind a sign-in there: the link is kept', read.files)
      if (read.spoilers > 0) tally.note(SPOILERS)
    }
    const markdown = await foreignHtml(read?.html ?? plainHtml(text), this.#leads, tally)
    return withReferences(markdown, '#', (number) => {
      const id = this.#index.byNumber.get(number)
      return id === undefined ? null : addressOf('question', id)
    })
  }

  readonly #leads: Leads = {
    link: (href) => this.#linked(href),
    picture: (src) => (/^https?:/i.test(src) ? this.#conversion.picture(src) : null),
  }

  /** A post of this course, by its address: `…/courses/7/discussion/41?comment=90`. */
  #linked(href: string): string | null {
    const [, course, thread, comment] = ADDRESS.exec(href) ?? []
    if (thread === undefined || course !== this.#index.course || !this.#index.questions.has(thread))
      return null
    const id = commentId(thread, comment ?? '')
    const kind = this.#index.comments.get(id)
    return kind === undefined ? addressOf('question', thread) : addressOf(kind, id)
  }
}

const ADDRESS =
  /^https?:\/\/(?:[\w-]+\.)*edstem\.org\/(?:\w{2,5}\/)?courses\/(\d+)\/discussion\/(\d+)(?:\?(?:comment|answer)=(\d+))?(?:[#&?].*)?$/
