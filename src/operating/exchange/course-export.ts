import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { listEntries } from '../../forum/faq/queries.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'
import { asCopied, type CopySelection, copiedPosts, sharedPictures } from './copied-posts.ts'
import { type Disguise, pseudonyms, shuffled, undisguised } from './disguise.ts'
import { ExchangeError } from './exchange-error.ts'
import {
  answerLine,
  namedAuthor,
  type PostNaming,
  questionLine,
  replyLine,
  versionLine,
} from './exported-posts.ts'
import * as rows from './exported-rows.ts'
import { type ExchangeWriter, writeExchange } from './folder-writer.ts'
import { FORMAT } from './format.ts'
import { exportedText, referencesIn } from './references.ts'
import { typedNames } from './typed-names.ts'

interface ExportOptions {
  readonly slug: string
  /** A folder, or a file that ends in `.tar.zst`. */
  readonly path: string
  /** Of the forum. */
  readonly baseUrl: string
  readonly isPseudonymous: boolean
  /** For a copy of the course in the same forum: these questions alone. */
  readonly copy?: CopySelection
  /** How many questions there are, and then each advance. */
  readonly onProgress?: { begin(label: string, amount: number): void; advance(amount: number): void }
}

/** How much was written. */
export type Exported = Readonly<
  Record<'questions' | 'answers' | 'replies' | 'people' | 'pictures' | 'missing', number>
>

/**
 * Writes a course with the rights of its staff, as it is at one moment: what is private, anonymous, held or hidden is in it, each as that.
 * What isn't: docs/exchange.md.
 * @throws ExchangeError when there is no such course
 */
export function exportCourse(db: Database, store: PictureStore, options: ExportOptions): Promise<Exported> {
  return writeExchange(options.path, (writer) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (write) => {
        await sql`set transaction read only; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`.execute(
          write,
        )
        return new CourseExport(write, store, writer, options).run()
      }),
  )
}

/** Pictures whose rows are read at a time. */
const PICTURES_AT_ONCE = 100

class CourseExport {
  readonly #db: Write
  readonly #store: PictureStore
  readonly #writer: ExchangeWriter
  readonly #options: ExportOptions
  readonly #posts: rows.WrittenPosts
  /** Of people whom it must not name: typedNames. */
  #hidden: ReadonlySet<string> = new Set()
  /** The names of pictures that texts show. */
  readonly #pictures = new Set<string>()
  readonly #counts = { questions: 0, answers: 0, replies: 0, people: 0, pictures: 0, missing: 0 }

  constructor(db: Write, store: PictureStore, writer: ExchangeWriter, options: ExportOptions) {
    this.#db = db
    this.#store = store
    this.#writer = writer
    this.#options = options
    this.#posts = options.copy === undefined ? rows.ALL_POSTS : copiedPosts(options.copy)
  }

  async run(): Promise<Exported> {
    const { slug, baseUrl, isPseudonymous, copy, onProgress } = this.#options
    const course = await this.#db
      .selectFrom('courses')
      .selectAll()
      .where('slug', '=', slug)
      .executeTakeFirst()
    if (course === undefined) throw new ExchangeError(`there is no course "${slug}"`)
    const everyone = await rows.personRows(this.#db, course.id)
    const people = copy?.hasNames === false ? await this.#staffOf(everyone) : everyone
    const disguise = isPseudonymous ? pseudonyms(people) : undisguised(people)
    const named = new Set(isPseudonymous ? [] : people.map(({ id }) => id))
    this.#hidden = typedNames(everyone.filter(({ id }) => !named.has(id)).map(({ name }) => name))
    const rules = await this.#db
      .selectFrom('policies')
      .select(['language', 'body'])
      .where('course_id', '=', course.id)
      .executeTakeFirst()
    const { title, field, description, language, time_zone, is_public, allows_private, allows_anonymous } =
      course
    const { asking, accent, promise_hours, question_template, synonyms, asks_about_code, hold, agents } =
      course
    await this.#writer.course({
      format: FORMAT.name,
      version: FORMAT.version,
      source: { name: 'handup', origin: isPseudonymous ? null : `${baseUrl}/courses/${slug}` },
      pseudonymous: isPseudonymous,
      ...{
        slug,
        title,
        field,
        description,
        language,
        time_zone,
        is_public,
        allows_private,
        allows_anonymous,
      },
      ...{ asking, accent, promise_hours, question_template, synonyms, asks_about_code, hold, agents },
      rules: rules ?? null,
    })
    await this.#people(people, disguise)
    // A copy has its lectures and categories from its course, and what staff told the run before isn't told the next.
    if (copy === undefined) await this.#places(course.id, disguise)
    await this.#tags(course.id)
    onProgress?.begin('Exporting', course.questions_count)
    for await (const ids of rows.questionIds(this.#db, course.id, this.#posts)) {
      await this.#threads(course.id, ids, disguise)
      onProgress?.advance(ids.length)
    }
    if (copy === undefined) {
      await this.#told(course.id, disguise)
      await this.#files(course.id, disguise)
    } else await this.#shared(course.id)
    return this.#counts
  }

  /** Admins are of the staff of each course. */
  async #staffOf(people: readonly rows.PersonRow[]): Promise<rows.PersonRow[]> {
    const found = await this.#db.selectFrom('people').select('id').where('is_admin', '=', true).execute()
    const admins = new Set(found.map(({ id }) => id))
    return people.filter(({ id, role }) => admins.has(id) || (role !== null && role !== 'learner'))
  }

  async #people(people: readonly rows.PersonRow[], disguise: Disguise): Promise<void> {
    const { isPseudonymous } = disguise
    this.#counts.people = people.length
    await this.#writer.lines(
      'people',
      (isPseudonymous ? shuffled(people) : people).map(({ id, name, email, role, joined_at }) => ({
        id: disguise.idOf('person', id),
        name: disguise.nameOf(id) ?? name,
        ...(isPseudonymous || this.#options.copy !== undefined
          ? {}
          : { email, joined_at: joined_at.toISOString() }),
        role,
      })),
    )
  }

  async #places(courseId: number, disguise: Disguise): Promise<void> {
    const lectures = this.#db.selectFrom('lectures').select(['id', 'position', 'title'])
    const categories = this.#db.selectFrom('categories').select(['id', 'slug', 'name', 'position'])
    const named = <Row extends { readonly id: number }>(
      kind: 'lecture' | 'category',
      found: readonly Row[],
    ) => found.map((row) => ({ ...row, id: disguise.idOf(kind, row.id) }))
    await this.#writer.lines(
      'lectures',
      named('lecture', await lectures.where('course_id', '=', courseId).orderBy('position').execute()),
    )
    await this.#writer.lines(
      'categories',
      named(
        'category',
        await categories.where('course_id', '=', courseId).orderBy('position').orderBy('id').execute(),
      ),
    )
  }

  /** Also a tag that is described or has another name, though no question that all may read has it; of a copy, those of its questions. */
  async #tags(courseId: number): Promise<void> {
    const isUsed =
      this.#options.copy === undefined
        ? sql`true`
        : sql`exists (
          select from question_tags as used join questions as q on q.id = used.question_id
          where used.tag_id = kept.tag_id and used.course_id = kept.course_id and ${this.#posts.question('q')})`
    const { rows: tags } = await sql<{ name: string; description: string; aliases: string[] }>`
      select tag.name, kept.description, array(
        select alias.name from tag_aliases as alias
        where alias.course_id = kept.course_id and alias.tag_id = kept.tag_id order by 1) as aliases
      from course_tags as kept join tags as tag on tag.id = kept.tag_id
      where kept.course_id = ${courseId} and ${isUsed} order by tag.name`.execute(this.#db)
    await this.#writer.lines('tags', tags)
  }

  async #threads(courseId: number, ids: readonly number[], disguise: Disguise): Promise<void> {
    const { copy } = this.#options
    const read = {
      questions: await rows.questionRows(this.#db, ids),
      answers: await rows.answerRows(this.#db, ids, this.#posts),
      replies: await rows.replyRows(this.#db, ids, this.#posts),
    }
    const { questions, answers, replies } = copy === undefined ? read : asCopied(read, disguise)
    const posts = { question: idsOf(questions), answer: idsOf(answers), reply: idsOf(replies) }
    // What a post said before says what was taken out of it, such as a name.
    const versions = copy === undefined ? await rows.versionRows(this.#db, posts) : []
    const texts = [...questions, ...answers, ...replies, ...versions].flatMap(({ body }) => body ?? [])
    const naming = await this.#naming(courseId, texts, disguise)
    await this.#writer.lines(
      'questions',
      questions.map((row) => questionLine(row, naming)),
    )
    await this.#writer.lines(
      'answers',
      answers.map((row) => answerLine(row, naming)),
    )
    await this.#writer.lines(
      'replies',
      replies.map((row) => replyLine(row, naming)),
    )
    const of = {
      question: new Map(questions.map((row) => [row.id, row])),
      answer: new Map(answers.map((row) => [row.id, row])),
      reply: new Map(replies.map((row) => [row.id, row])),
    }
    await this.#writer.lines(
      'versions',
      versions.flatMap((row) => {
        const post = of[row.kind].get(row.post_id)
        return post === undefined ? [] : [versionLine(row, post, naming)]
      }),
    )
    this.#counts.questions += questions.length
    this.#counts.answers += answers.length
    this.#counts.replies += replies.length
  }

  /** How these texts refer to what is in the export. */
  async #naming(courseId: number, texts: readonly string[], disguise: Disguise): Promise<PostNaming> {
    const { baseUrl } = this.#options
    const referred = referencesIn(texts, baseUrl)
    const idsIn = (kind: string) => referred.filter(([of]) => of === kind).map(([, id]) => Number(id))
    const ids = { question: idsIn('question'), answer: idsIn('answer'), reply: idsIn('reply') }
    const there = await rows.exportedIds(this.#db, courseId, ids, this.#posts)
    for (const [kind, name] of referred) if (kind === 'file') this.#pictures.add(name)
    const names = {
      isPseudonymous: disguise.isPseudonymous,
      isCopy: this.#options.copy !== undefined,
      hidden: this.#hidden,
      idOf: (kind: Parameters<Disguise['idOf']>[0], id: string) => {
        const isThere =
          kind === 'file' ||
          (kind === 'person' ? disguise.nameOf(Number(id)) !== null : there.has(`${kind}/${id}`))
        return isThere ? disguise.idOf(kind, id) : null
      },
      nameOf: (id: string) => disguise.nameOf(Number(id)),
    }
    return { disguise, text: (markdown) => exportedText(markdown, baseUrl, names) }
  }

  /** Announcements and the FAQ. */
  async #told(courseId: number, disguise: Disguise): Promise<void> {
    const { rows: news } = await sql<{
      id: number
      title: string
      body: string
      author_id: number
      author_name: string
      has_left: boolean
      published_at: Date
      edited_at: Date | null
      version: number
      corrects_id: number | null
    }>`
      select news.id, title, body, author_id, author.display_name as author_name, author.left_at is not null as has_left, published_at,
        edited_at, version, corrects_id
      from announcements as news join people as author on author.id = author_id
      where news.course_id = ${courseId} order by news.id`.execute(this.#db)
    const entries = await listEntries(this.#db, courseId, ['shown'])
    const texts = [...news, ...entries].flatMap(({ body }) => body ?? [])
    const { text } = await this.#naming(courseId, texts, disguise)
    await this.#writer.lines(
      'announcements',
      news.map((row) => ({
        id: disguise.idOf('announcement', row.id),
        title: row.title,
        body: text(row.body),
        author: namedAuthor({ id: row.author_id, name: row.author_name, hasLeft: row.has_left }, disguise),
        published_at: row.published_at.toISOString(),
        edited_at: row.edited_at?.toISOString() ?? null,
        version: row.version,
        corrects: row.corrects_id === null ? null : disguise.idOf('announcement', row.corrects_id),
      })),
    )
    await this.#writer.lines(
      'faq',
      entries.map((entry) => ({
        id: disguise.idOf('faq', entry.id),
        position: entry.position,
        question: entry.questionId === null ? null : disguise.idOf('question', entry.questionId),
        title: entry.questionId === null ? entry.title : null,
        body: entry.body === null ? null : text(entry.body),
      })),
    )
  }

  /** The pictures of a copy stay where they are. */
  async #shared(courseId: number): Promise<void> {
    const { baseUrl } = this.#options
    const pictures = await sharedPictures(this.#db, courseId, [...this.#pictures])
    await this.#writer.lines(
      'files',
      pictures.map(({ name, alt }) => ({ id: name, kept: 'url', url: `${baseUrl}/uploads/${name}`, alt })),
    )
  }

  /** A picture that isn't where it should be, or isn't this course's, is named as missing. */
  async #files(courseId: number, disguise: Disguise): Promise<void> {
    const names = [...this.#pictures]
    for (let from = 0; from < names.length; from += PICTURES_AT_ONCE) {
      const some = names.slice(from, from + PICTURES_AT_ONCE)
      const known = new Map((await rows.pictureRows(this.#db, courseId, some)).map((row) => [row.name, row]))
      for (const name of some)
        await this.#file(disguise.idOf('file', name), known.get(name) ?? null, disguise)
    }
  }

  async #file(id: string, picture: rows.PictureRow | null, { isPseudonymous }: Disguise): Promise<void> {
    const file = picture === null ? '' : `${picture.name}.${picture.fallback}`
    const content = picture === null ? null : await this.#store.get(file)
    // What stands for a picture is often the name of its file.
    const alt = isPseudonymous || picture === null ? '' : picture.alt
    if (picture === null || content === null) {
      this.#counts.missing += 1
      return this.#writer.lines('files', [{ id, kept: 'missing', alt }])
    }
    this.#counts.pictures += 1
    const path = `files/${id}.${picture.fallback}`
    await this.#writer.blob(path, content)
    await this.#writer.lines('files', [{ id, kept: 'blob', path, alt }])
  }
}

const idsOf = (posts: readonly { readonly id: number }[]) => posts.map(({ id }) => id)
