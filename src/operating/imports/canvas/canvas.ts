import { cleanLine } from '../../foreign/clean-text.ts'
import { Discussions, type Hand, type Topic, type Writer } from '../discussion.ts'
import { beginningOf, bytesOfTwo, jsonFilesOf, unreadBeside } from '../json-files.ts'
import type { Conversion, Converted, Source } from '../source.ts'
import { countOf, escaped, timeIn } from '../source-fields.ts'
import { type CanvasIndex, canvasMarkdown } from './canvas-texts.ts'
import {
  type CanvasEntry,
  type CanvasFile,
  type CanvasTopic,
  canvasTopics,
  merged,
  type Participant,
} from './canvas-topics.ts'

/**
 * Discussions of Canvas as its API answers: a file a topic, with the topic and its full view. Untried against a live Canvas: that the two
 * are in one file is our own convention.
 */
export const CANVAS: Source = {
  name: 'canvas',
  async recognizes(files) {
    const [first] = jsonFilesOf(files)
    if (first === undefined) return false
    const text = await beginningOf(first)
    return /^\s*\[?\s*\{\s*"(?:topic|view)"\s*:\s*\{/.test(text)
  },
  bytesOf: (files) => bytesOfTwo(jsonFilesOf(files)),
  async convert(conversion) {
    const index: CanvasIndex = { topics: new Set(), entries: new Map() }
    let origin: string | null = null
    for await (const topic of canvasTopics(conversion.files, new Map())) {
      index.topics.add(topic.id)
      for (const { id, parent } of topic.entries) index.entries.set(id, parent === null ? 'answer' : 'reply')
      origin ??= /^https?:\/\/[^/]+\/courses\/\d+(?=\/)/.exec(topic.html_url ?? '')?.[0] ?? null
    }
    return new CanvasConverter(conversion, index).run(conversion.origin ?? origin ?? conversion.files.title)
  },
}

class CanvasConverter {
  readonly #conversion: Conversion
  readonly #index: CanvasIndex
  readonly #seen = new Set<string>()
  #asksGroups = false

  constructor(conversion: Conversion, index: CanvasIndex) {
    this.#conversion = conversion
    this.#index = index
  }

  async run(origin: string): Promise<Converted> {
    const { files } = this.#conversion
    const discussions = new Discussions(this.#conversion)
    await discussions.write(this.#topics())
    await discussions.end('canvas', origin)
    return { asks: this.#asksGroups ? ['groups'] : [], unread: unreadBeside(files, jsonFilesOf(files)) }
  }

  async *#topics(): AsyncGenerator<Topic> {
    const { files, unknown, tally } = this.#conversion
    for await (const topic of canvasTopics(files, unknown)) {
      if (topic.at === null) tally.skipped('questions', 'never posted there')
      else if (this.#seen.has(topic.id)) tally.skipped('questions', 'twice in the files')
      else yield this.#topic(topic, topic.at)
      this.#seen.add(topic.id)
    }
  }

  #topic(topic: CanvasTopic, at: Date): Topic {
    if (topic.isOfSome === null) this.#asksGroups = true
    const isHeld = topic.isOfSome ?? this.#conversion.choices.groups === 'hold'
    const isAnonymous = topic.anonymous_state === 'full_anonymity'
    const author = topic.author ?? {}
    return {
      ...{ id: topic.id, at, title: topic.title ?? '', tags: [], category: null },
      ...{ isPrivate: false, isHeld, isDeleted: false, votes: 0, views: 0 },
      ...{ acceptedAnswer: null, duplicateOf: null },
      hand: handOf(merged(author, topic.people.get(author.id ?? '')), isAnonymous),
      body: () => this.#markdown(topic.message, topic.attachments ?? []),
      entries: topic.entries.map((entry) => this.#entry(entry, topic, isAnonymous)),
    }
  }

  #entry(entry: CanvasEntry, { people }: CanvasTopic, isAnonymous: boolean): Topic['entries'][number] {
    const { id, parent, created_at: at, user_id: user, anonymous_id } = entry
    const by = { ...people.get(user ?? ''), ...(anonymous_id == null ? {} : { anonymous_id }) }
    return {
      ...{ id, parent, top: 'answer', at, isEndorsed: false, isDeleted: entry.deleted === true },
      edited: editOf(entry, people),
      votes: countOf(entry.rating_sum),
      hand: handOf(by, isAnonymous),
      body: () => this.#markdown(entry.message, entry.attachment == null ? [] : [entry.attachment]),
    }
  }

  #markdown(message: string | null | undefined, files: readonly CanvasFile[]): Promise<string> {
    const links = files.map(({ url, display_name, filename }) => {
      const name = display_name ?? filename ?? url ?? ''
      return `<p><a href="${escaped(url ?? '')}">${escaped(name)}</a></p>`
    })
    this.#conversion.tally.skipped('files', 'behind a sign-in there: the link is kept', files.length)
    return canvasMarkdown(`${message ?? ''}${links.join('')}`, this.#index, this.#conversion)
  }
}

/** Whoever has an anonymous id is no person, nor is anyone in a topic that is anonymous for all. */
function handOf(by: Participant, isAnonymous: boolean): Hand {
  const writer = writerOf(by)
  if (isAnonymous || by.anonymous_id != null)
    return { nobody: by.anonymous_id ?? (writer === null ? null : `user ${writer.id}`) }
  return writer === null ? 'gone' : { openly: writer }
}

function writerOf({ id, display_name }: Participant): Writer | null {
  const name = cleanLine(display_name ?? '')
  return id == null || name === '' ? null : { id, name }
}

/** Only an edit has an editor: a rating touches a post as well. */
function editOf(
  { user_id, editor_id, updated_at, anonymous_id }: CanvasEntry,
  people: CanvasTopic['people'],
) {
  const at = editor_id == null || updated_at == null ? null : timeIn(updated_at)
  if (at === null || editor_id == null) return null
  const editor = people.get(editor_id)
  const isNamed = editor !== undefined && editor.anonymous_id == null && anonymous_id == null
  return { at, by: isNamed && editor_id !== user_id ? writerOf(editor) : null }
}
