import { z } from 'zod'
import { isBlank } from '../../text/characters.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Written } from '../exchange/format.ts'
import { batches } from '../foreign/bulk.ts'
import { cleanText } from '../foreign/clean-text.ts'
import { commentMarkdown } from './comment-markdown.ts'
import { tagsOf } from './convert-dump.ts'
import { postAt } from './dump-links.ts'
import { FilePictures } from './file-pictures.ts'
import { ForeignCourse } from './foreign-course.ts'
import type { Leads } from './foreign-html.ts'
import { foreignMarkdown } from './foreign-markdown.ts'
import { beginningOf } from './json-files.ts'
import { NumberedAuthors } from './numbered-authors.ts'
import type { Conversion, Converted, Source } from './source.ts'
import { countOf, ignored, when } from './source-fields.ts'
import type { SourceFile, SourceFiles } from './source-files.ts'
import { recordsOf } from './source-json.ts'

/**
 * The zip of Stack Overflow for Teams: posts, comments, users, and their addresses in accounts.json. Untried against a live team; read in
 * Scoold’s importer of it.
 */
export const TEAMS: Source = {
  name: 'stackoverflow',
  recognizes: async (files) => {
    const posts = fileNamed(files, 'posts')
    return posts !== null && /"postType"\s*:/.test(await beginningOf(posts))
  },
  bytesOf: (files) =>
    Object.entries(READINGS).reduce(
      (bytes, [name, times]) => bytes + (fileNamed(files, name)?.size ?? 0) * times,
      0,
    ),
  convert: (conversion) => new TeamsConverter(conversion).run(),
}

/** Passes over each file. */
const READINGS = { posts: 2, users: 2, accounts: 1, comments: 1 } as const
type FileName = keyof typeof READINGS

const fileNamed = (files: SourceFiles, name: string): SourceFile | null =>
  files.find(new RegExp(String.raw`(?:^|/)${name}\.json$`, 'i'))

const id = z.int()
const POST = z.object({
  id,
  postType: z.string(),
  title: z.string().nullish(),
  bodyMarkdown: z.string().nullish(),
  tags: z.string().nullish(),
  acceptedAnswerId: id.nullish(),
  parentId: id.nullish(),
  score: z.number().nullish(),
  viewCount: z.number().nullish(),
  ...ignored('answerCount'),
  creationDate: when,
  lastEditDate: when.nullish(),
  closedDate: when.nullish(),
  deletionDate: z.string().nullish(),
  ownerUserId: id.nullish(),
})
const COMMENT = z.object({
  id,
  postId: id.nullish(),
  userId: id.nullish(),
  text: z.string().nullish(),
  creationDate: when,
  deletionDate: z.string().nullish(),
})
const USER = z.object({
  id,
  accountId: id.nullish(),
  realName: z.string().nullish(),
  userTypeId: z.string().nullish(),
  creationDate: when.nullish(),
  ...ignored('lastLoginDate profileImageUrl reputation title'),
})
const ACCOUNT = z.object({ accountId: id, verifiedEmail: z.string().nullish() })
type Post = z.output<typeof POST>

class TeamsConverter {
  readonly #conversion: Conversion
  readonly #course = new ForeignCourse()
  readonly #pictures: FilePictures
  readonly #leads: Leads
  readonly #questions = new Set<number>()
  /** Answers → their questions. */
  readonly #answers = new Map<number, number>()
  /** Answers that their question accepted, and questions that staff of that time answered. */
  readonly #accepted = new Map<number, number>()
  readonly #answeredByStaff = new Set<number>()
  readonly #staff = new Set<number>()
  readonly #authors = new NumberedAuthors()
  /** Articles, wikis, and what is deleted. */
  readonly #leftOut = new Set<number>()

  constructor(conversion: Conversion) {
    this.#conversion = conversion
    this.#pictures = new FilePictures(conversion)
    this.#leads = { link: (href) => this.#post(href), picture: (src) => this.#pictures.at(src) }
  }

  async run(): Promise<Converted> {
    const { files, origin } = this.#conversion
    for await (const { id: user, userTypeId } of this.#records('users', USER, new Map()))
      if (/admin|moderator/i.test(userTypeId ?? '')) this.#staff.add(user)
    await this.#place()
    await this.#writePosts()
    await this.#writeComments()
    await this.#writePeople()
    await this.#pictures.write()
    await this.#course.write(this.#conversion, 'stackoverflow', origin ?? files.title)
    return {}
  }

  #records<Shape extends z.ZodRawShape>(
    name: FileName,
    schema: z.ZodObject<Shape>,
    unknown = this.#conversion.unknown,
  ) {
    const file = fileNamed(this.#conversion.files, name)
    if (file !== null) return recordsOf(file, '$.*', schema, unknown)
    if (name === 'posts' || name === 'users')
      throw new ExchangeError(`${this.#conversion.files.title} has no ${name}.json, which every export has`)
    return none()
  }

  /** What each post is, before any is written: answers may stand before their questions. */
  async #place(): Promise<void> {
    const { tally } = this.#conversion
    for await (const post of this.#records('posts', POST, new Map())) {
      const why = leftOut(post)
      if (why !== null) {
        this.#leftOut.add(post.id)
        tally.skipped('other posts', why)
      } else if (post.postType === 'question') {
        this.#questions.add(post.id)
        if (post.acceptedAnswerId != null) this.#accepted.set(post.id, post.acceptedAnswerId)
      } else {
        this.#answers.set(post.id, post.parentId ?? 0)
        if (this.#staff.has(post.ownerUserId ?? 0)) this.#answeredByStaff.add(post.parentId ?? 0)
      }
    }
    for (const [answer, question] of this.#answers)
      if (!this.#questions.has(question)) {
        this.#answers.delete(answer)
        this.#leftOut.add(answer)
        tally.skipped('answers', 'their question was left out or is not in the file')
      }
  }

  async #writePosts(): Promise<void> {
    const { writer } = this.#conversion
    for await (const batch of batches(
      this.#records('posts', POST),
      ({ bodyMarkdown }) => bodyMarkdown?.length ?? 0,
    )) {
      const questions = batch.filter((post) => this.#questions.has(post.id) && post.postType === 'question')
      const answers = batch.filter((post) => this.#answers.has(post.id) && post.postType === 'answer')
      await writer.lines(
        'questions',
        questions.map((post) => this.#question(post)),
      )
      await writer.lines(
        'answers',
        answers.map((post) => ({ ...this.#written(post), question: String(post.parentId) })),
      )
    }
  }

  #question(post: Post): Written<'questions'> {
    const { tally } = this.#conversion
    const accepted = this.#accepted.get(post.id)
    const isAccepted = accepted !== undefined && this.#answers.get(accepted) === post.id
    if (accepted !== undefined && !isAccepted)
      tally.note('questions whose accepted answer is not in the file')
    this.#course.read(`${post.title ?? ''}\n${post.bodyMarkdown ?? ''}`)
    return {
      ...this.#written(post),
      title: post.title ?? '',
      tags: tagsOf(post.tags ?? ''),
      visibility: 'course',
      status: isAccepted || this.#answeredByStaff.has(post.id) ? 'resolved' : 'unresolved',
      accepted_answer: isAccepted ? String(accepted) : null,
      closed: post.closedDate == null ? null : { at: post.closedDate.toISOString() },
      views: Math.max(0, countOf(post.viewCount)),
    }
  }

  #written(post: Post) {
    return {
      id: String(post.id),
      author: this.#authors.of(post.ownerUserId),
      body: foreignMarkdown(post.bodyMarkdown ?? '', this.#leads),
      written_at: post.creationDate.toISOString(),
      edited_at: post.lastEditDate?.toISOString() ?? null,
      votes: countOf(post.score),
    }
  }

  async #writeComments(): Promise<void> {
    const { writer, tally } = this.#conversion
    for await (const batch of batches(this.#records('comments', COMMENT), ({ text }) => text?.length ?? 0)) {
      const replies: Written<'replies'>[] = []
      for (const { id: comment, postId, userId, text, creationDate, deletionDate } of batch) {
        const under = postId ?? 0
        const question = this.#questions.has(under) ? under : this.#answers.get(under)
        if (deletionDate != null) tally.skipped('replies', 'deleted there')
        else if (question === undefined)
          tally.skipped(
            'replies',
            this.#leftOut.has(under) ? 'their post was left out' : 'their post is not in the file',
          )
        else if (isBlank(text ?? '')) tally.skipped('replies', 'without text')
        else
          replies.push({
            ...{
              id: String(comment),
              question: String(question),
              answer: under === question ? null : String(under),
            },
            author: this.#authors.of(userId),
            body: foreignMarkdown(commentMarkdown(cleanText(text ?? '').trim()), this.#leads),
            written_at: creationDate.toISOString(),
          })
      }
      await writer.lines('replies', replies)
    }
  }

  /** `/questions/1/slug/2`, `/a/2`, `/c/team/q/1`, at whichever address the team is. */
  #post(href: string): string | null {
    const [, host, path = ''] = /^(?:https?:\/\/([^/?#]+))?(\/.*)$/i.exec(href) ?? []
    const [, team, rest = path] = /^\/c\/([\w-]+)(\/.*)$/.exec(path) ?? []
    if (host !== undefined && !this.#isOwn(host.toLowerCase(), team)) return null
    return postAt(rest, (post) =>
      this.#questions.has(post) ? 'question' : this.#answers.has(post) ? 'answer' : null,
    )
  }

  /** The public site has posts with the same numbers. */
  #isOwn(host: string, team: string | undefined): boolean {
    if (/^(?:www\.)?(?:stackoverflow|stackoverflowteams)\.com$/.test(host)) return team !== undefined
    const { origin } = this.#conversion
    return (
      host.endsWith('.stackenterprise.co') ||
      host === origin?.toLowerCase().replace(/^https?:\/\/|\/.*$/g, '')
    )
  }

  /** Authors alone; one whom the file hasn’t is known by their number. */
  async #writePeople(): Promise<void> {
    const { writer } = this.#conversion
    const addresses = new Map<number, string>()
    for await (const { accountId, verifiedEmail } of this.#records('accounts', ACCOUNT))
      if (verifiedEmail?.includes('@') === true) addresses.set(accountId, verifiedEmail)
    for await (const user of this.#records('users', USER)) {
      if (!this.#authors.take(user.id)) continue
      await writer.lines('people', [
        {
          ...{ id: String(user.id), name: user.realName ?? '' },
          email: addresses.get(user.accountId ?? 0) ?? null,
          role: this.#staff.has(user.id) ? 'assistant' : null,
          joined_at: user.creationDate?.toISOString() ?? null,
        },
      ])
    }
    await writer.lines('people', this.#authors.nameless)
  }
}

async function* none(): AsyncGenerator<never> {}

function leftOut({ postType, deletionDate }: Post): string | null {
  if (postType !== 'question' && postType !== 'answer') return `of the kind ${postType.slice(0, 40)}`
  return deletionDate == null ? null : 'deleted there'
}
