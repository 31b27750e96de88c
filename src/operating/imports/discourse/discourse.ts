import { z } from 'zod'
import { isBlank } from '../../../text/characters.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { noteUnknown } from '../../exchange/folder-reader.ts'
import type { Written } from '../../exchange/format.ts'
import { addressOf } from '../../exchange/references.ts'
import { ForeignCourse } from '../foreign-course.ts'
import type { Leads } from '../foreign-html.ts'
import { foreignMarkdown } from '../foreign-markdown.ts'
import { beginningOf, jsonFilesOf } from '../json-files.ts'
import { NumberedAuthors } from '../numbered-authors.ts'
import type { Conversion, Converted, Source } from '../source.ts'
import { countOf, ignored, when } from '../source-fields.ts'
import type { SourceFile, SourceFiles } from '../source-files.ts'
import { recordsOf } from '../source-json.ts'
import { discourseMarkdown } from './discourse-text.ts'

/**
 * The file that Discourse’s `rake export:categories` writes: a category with its topics, posts and people. Untried against a live
 * Discourse; read in its `lib/import_export`. It has no likes, tags, accepted answers, and doesn’t say which posts are whispers.
 */
export const DISCOURSE: Source = {
  name: 'discourse',
  recognizes: async (files) => {
    const file = fileIn(files)
    if (file === null) return false
    const beginning = await beginningOf(file)
    return /^\s*\{\s*"(?:groups|categories)":\s*\[/.test(beginning)
  },
  bytesOf: (files) => (fileIn(files)?.size ?? 0) * READINGS,
  async convert(conversion) {
    const file = fileIn(conversion.files)
    if (file === null)
      throw new ExchangeError(`${conversion.files.title} has no JSON file, which Discourse writes`)
    return new DiscourseConverter(conversion, file).run()
  },
}

/** Passes over the file: categories, where posts are, posts, people. */
const READINGS = 4

const fileIn = (files: SourceFiles): SourceFile | null => jsonFilesOf(files)[0] ?? null

const id = z.int()
const CATEGORY = z.object({
  id,
  name: z.string(),
  slug: z.string().nullish(),
  position: z.int().nullish(),
  parent_category_id: id.nullish(),
  permissions_params: z.record(z.string(), z.unknown()).nullish(),
  ...ignored(
    'color text_color created_at user_id description auto_close_hours auto_close_based_on_last_post',
  ),
  ...ignored('topic_template all_topics_wiki'),
})
const POST = z.looseObject({
  id,
  user_id: id.nullish(),
  post_number: z.int().positive(),
  raw: z.string().nullish(),
  created_at: when,
  reply_to_post_number: z.int().nullish(),
  hidden: z.boolean().nullish(),
  ...ignored('hidden_reason_id'),
  wiki: z.boolean().nullish(),
  post_type: z.int().nullish(),
  deleted_at: z.string().nullish(),
})
const TOPIC = z.object({
  id,
  title: z.string(),
  created_at: when,
  views: z.number().nullish(),
  category_id: id.nullish(),
  closed: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  archetype: z.string().nullish(),
  deleted_at: z.string().nullish(),
  posts: z.array(POST),
})
const USER = z.object({
  id,
  username: z.string(),
  name: z.string().nullish(),
  email: z.string().nullish(),
  created_at: when.nullish(),
  ...ignored('trust_level active last_emailed_at custom_fields'),
})
type Topic = z.output<typeof TOPIC>
type Post = z.output<typeof POST>

/** Small actions ("closed this topic") and whispers of staff, where the file says what a post is. */
const OTHER_POSTS: ReadonlyMap<number, string> = new Map([
  [3, 'small action'],
  [4, 'whisper among staff'],
])
/** Groups that every site has and no learner is in. */
const STAFF_GROUPS: ReadonlySet<string> = new Set(['admins', 'moderators', 'staff'])
/** What a post is here. */
type Place =
  | { readonly kind: 'question' }
  | { readonly kind: 'answer' }
  | { readonly kind: 'reply'; readonly answer: number }

class DiscourseConverter {
  readonly #conversion: Conversion
  readonly #file: SourceFile
  readonly #course = new ForeignCourse()
  /** Topics and what their posts are, by numbers. */
  readonly #places = new Map<number, ReadonlyMap<number, Place['kind']>>()
  /** Categories that fewer people read than the first one. */
  readonly #narrow = new Set<number>()
  readonly #categories = new Set<number>()
  readonly #authors = new NumberedAuthors()
  readonly #leads: Leads
  #origin = ''

  constructor(conversion: Conversion, file: SourceFile) {
    this.#conversion = conversion
    this.#file = file
    this.#leads = { link: (href) => this.#post(href), picture: (src) => this.#picture(src) }
  }

  async run(): Promise<Converted> {
    const { origin, files } = this.#conversion
    const first = await this.#readCategories()
    this.#origin = origin ?? first ?? files.title
    for await (const topic of this.#topics(new Map()))
      if (leftOut(topic) === null)
        this.#places.set(topic.id, new Map([...placesIn(topic)].map(([number, { kind }]) => [number, kind])))
    let isNarrow = false
    for await (const topic of this.#topics(this.#conversion.unknown)) {
      const why = leftOut(topic)
      if (why !== null) this.#skip(topic, why)
      else await this.#thread(topic)
      isNarrow ||= this.#narrow.has(topic.category_id ?? 0)
    }
    await this.#people()
    await this.#course.write(this.#conversion, 'discourse', this.#origin)
    return isNarrow ? { asks: ['groups'] } : {}
  }

  #topics(unknown: Map<string, number>) {
    return recordsOf(this.#file, '$.topics.*', TOPIC, unknown)
  }

  /** @returns what the first one is called: all ids of a site are of one origin */
  async #readCategories(): Promise<string | null> {
    const { writer, unknown } = this.#conversion
    let first: z.output<typeof CATEGORY> | null = null
    for await (const category of recordsOf(this.#file, '$.categories.*', CATEGORY, unknown)) {
      first ??= category
      if (isNarrower(category, first)) this.#narrow.add(category.id)
      this.#categories.add(category.id)
      await writer.lines('categories', [
        {
          ...{ id: String(category.id), name: category.name, slug: category.slug ?? '' },
          position: category.position ?? this.#categories.size,
        },
      ])
    }
    return first === null ? null : `${first.name} (${first.id})`
  }

  #skip({ posts }: Topic, why: string): void {
    const { tally } = this.#conversion
    tally.skipped('questions', why)
    tally.skipped('answers', 'their topic was left out', posts.length - 1)
  }

  async #thread(topic: Topic): Promise<void> {
    const { writer, tally, unknown } = this.#conversion
    const places = placesIn(topic)
    const answers: Written<'answers'>[] = []
    const replies: Written<'replies'>[] = []
    for (const post of [...topic.posts].sort((one, other) => one.post_number - other.post_number)) {
      noteUnknown(unknown, `${this.#file.name}: posts`, post, POST.shape)
      const place = places.get(post.post_number)
      const question = String(topic.id)
      if (place === undefined) tally.skipped('answers', whyNot(post) ?? 'twice in the file')
      else if (place.kind === 'question') await writer.lines('questions', [this.#question(topic, post)])
      else if (place.kind === 'answer') answers.push({ ...this.#written(topic, post), question })
      else replies.push({ ...this.#written(topic, post), question, answer: idOf(topic.id, place.answer) })
      places.delete(post.post_number)
    }
    await writer.lines('answers', answers)
    await writer.lines('replies', replies)
  }

  #question(topic: Topic, post: Post): Written<'questions'> {
    const { choices } = this.#conversion
    const category = topic.category_id ?? 0
    const written = this.#written(topic, post)
    const isHeld = this.#narrow.has(category) && choices.groups === 'hold' && written.state === 'shown'
    const latest = topic.posts.reduce(
      (last, { created_at }) => (created_at > last ? created_at : last),
      post.created_at,
    )
    const isClosed = topic.closed === true || topic.archived === true
    this.#course.read(`${topic.title}\n${post.raw ?? ''}`)
    return {
      ...written,
      title: topic.title,
      state: isHeld ? 'held(source)' : written.state,
      category: this.#categories.has(category) ? String(category) : null,
      visibility: 'course',
      active_at: latest.toISOString(),
      closed: isClosed ? { at: latest.toISOString() } : null,
      views: Math.max(0, countOf(topic.views)),
    }
  }

  #written(topic: Topic, post: Post) {
    if (post.post_type == null)
      this.#conversion.tally.note('posts that may be whispers among staff: the file doesn’t say')
    if (post.wiki === true)
      this.#conversion.tally.note('posts that everyone could edit there: their authors’ here')
    return {
      id: idOf(topic.id, post.post_number),
      addresses: post.post_number === 1 ? [`${topic.id}-1`, `p${post.id}`] : [`p${post.id}`],
      author: this.#authors.of(post.user_id),
      body: foreignMarkdown(discourseMarkdown(post.raw ?? ''), this.#leads),
      written_at: post.created_at.toISOString(),
      state: post.hidden === true ? ('hidden' as const) : ('shown' as const),
    }
  }

  /** `/t/slug/9/2`, `/t/9`, with the site's own address if it is the origin. */
  #post(href: string): string | null {
    const [, host, path = ''] = /^(?:https?:\/\/([^/?#]+))?(\/.*)$/i.exec(href) ?? []
    if (host !== undefined && !this.#isOwn(host)) return null
    const [, topic, post = '1'] =
      /^\/t\/(?:[^/?#]*[^\d/?#][^/?#]*\/)?(\d{1,15})(?:\/(\d{1,9}))?(?:[/?#].*)?$/.exec(path) ?? []
    const kind = topic === undefined ? undefined : this.#places.get(Number(topic))?.get(Number(post))
    return kind === undefined ? null : addressOf(kind, idOf(Number(topic), Number(post)))
  }

  #isOwn(host: string): boolean {
    const origin = this.#origin
      .toLowerCase()
      .replace(/^https?:\/\//, '')
      .replace(/\/.*$/, '')
    return host.toLowerCase() === origin
  }

  #picture(src: string): string | null {
    if (/^https?:/i.test(src)) return this.#conversion.picture(src)
    this.#conversion.tally.note('pictures and files that only the old site has: left out')
    return null
  }

  /** Authors alone; one whom the file hasn't is known by their number. */
  async #people(): Promise<void> {
    const { writer, unknown } = this.#conversion
    for await (const user of recordsOf(this.#file, '$.users.*', USER, unknown)) {
      if (!this.#authors.take(user.id)) continue
      const isSomeone = user.email?.includes('@') === true && !user.email.endsWith('.invalid')
      await writer.lines('people', [
        {
          ...{ id: String(user.id), name: isBlank(user.name ?? '') ? user.username : (user.name ?? '') },
          email: isSomeone ? user.email : null,
          joined_at: user.created_at?.toISOString() ?? null,
        },
      ])
    }
    await writer.lines('people', this.#authors.nameless)
  }
}

/** As addresses have it: `/t/slug/9/2`. The first post is the topic. */
const idOf = (topic: number, number: number) => (number === 1 ? String(topic) : `${topic}-${number}`)

function leftOut({ archetype, deleted_at, posts }: Topic): string | null {
  if ((archetype ?? 'regular') !== 'regular') return 'a message or notice, no topic'
  if (deleted_at != null) return 'deleted there'
  const first = posts.find(({ post_number }) => post_number === 1)
  return first === undefined || first.deleted_at != null ? 'its first post is not in the file' : null
}

function whyNot(post: Post): string | null {
  if (post.deleted_at != null) return 'deleted there'
  return OTHER_POSTS.get(post.post_type ?? 1) ?? (isBlank(post.raw ?? '') ? 'without text' : null)
}

/**
 * What each post of a topic is: what answers nothing, the first one, or what isn't there, is an answer; what answers another is below the
 * answer that this leads to. A post that answers a later one, as in a circle, is an answer.
 */
function placesIn({ posts }: Topic): Map<number, Place> {
  const places = new Map<number, Place>()
  for (const post of [...posts].sort((one, other) => one.post_number - other.post_number)) {
    const { post_number: number, reply_to_post_number: to } = post
    if (number === 1) places.set(number, { kind: 'question' })
    else if (whyNot(post) === null && !places.has(number)) {
      const parent = to == null || to >= number ? undefined : places.get(to)
      if (to == null || parent === undefined || parent.kind === 'question')
        places.set(number, { kind: 'answer' })
      else places.set(number, { kind: 'reply', answer: parent.kind === 'reply' ? parent.answer : to })
    }
  }
  return places
}

interface Readable {
  readonly permissions_params?: Readonly<Record<string, unknown>> | null | undefined
}

/** Whether some who read the one category don't read this one. The course is for those who read the first. */
function isNarrower(category: Readable, first: Readable): boolean {
  const [groups, readers] = [groupsOf(category), groupsOf(first)]
  if (groups.length > 0 && groups.every((group) => STAFF_GROUPS.has(group))) return true
  if (groups.length === 0) return false
  return readers.length === 0 || readers.some((group) => !groups.includes(group))
}

/** The groups that read a category; none: everyone does. */
const groupsOf = ({ permissions_params: groups }: Readable): string[] => {
  const names = Object.keys(groups ?? {})
  return names.includes('everyone') ? [] : names
}
