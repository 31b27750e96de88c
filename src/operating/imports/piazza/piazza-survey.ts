import type { PiazzaPost } from './piazza-posts.ts'

/** The tags by which Piazza marks who wrote a post. */
const [BY_STAFF, BY_LEARNER] = ['instructor-note', 'student']

/** A post that begins a thread. */
interface Root {
  readonly type: string
  readonly at: Date
  readonly visibility: PiazzaPost['visibility']
  /** Whoever is named in all its versions; null: not all have a name. */
  readonly openly: string | null
  readonly tags: readonly string[]
}

/** What the first reading of an export finds: ids, numbers and times, no texts. */
export class Survey {
  readonly #roots = new Map<string, Root>()
  readonly #numbers = new Map<number, string>()
  readonly #answers: { thread: string; good: readonly string[]; isByStaff: boolean; at: Date }[] = []
  readonly #staff: Set<string>
  readonly #showsUnknown: boolean
  /** Question → when staff answered it, or endorsed an answer. */
  readonly resolved = new Map<string, Date>()
  /** Duplicate → original. */
  readonly duplicates = new Map<string, string>()
  /** Ids of posts that say nothing but that. */
  readonly links = new Set<string>()
  /** Whether the file doesn't say of some threads who could read them. */
  hasUnknown = false

  /**
   * @param staff uids of staff, as far as the list of users says so: who wrote an instructors' answer is one, too
   * @param showsUnknown whether all read what the file says nothing of
   */
  constructor(staff: ReadonlySet<string>, showsUnknown: boolean) {
    this.#staff = new Set(staff)
    this.#showsUnknown = showsUnknown
  }

  async read(posts: () => AsyncIterable<PiazzaPost>): Promise<void> {
    for await (const post of posts()) {
      if (post.id === post.thread) this.#root(post)
      else if (post.type === 'i_answer' || post.type === 's_answer') this.#answer(post)
    }
    for (const { thread, good, isByStaff, at } of this.#answers) {
      const before = this.resolved.get(thread)
      if ((isByStaff || this.isGoodToStaff(good)) && (before === undefined || at < before))
        this.resolved.set(thread, at)
    }
    for await (const post of posts()) if (post.type === 'dupe') this.#duplicate(post)
  }

  isGoodToStaff(uids: readonly string[]): boolean {
    return uids.some((uid) => this.#staff.has(uid))
  }

  isStaff(uid: string): boolean {
    return this.#staff.has(uid)
  }

  /** Of the numbers that texts speak of, those of questions that come along. */
  get questions(): ReadonlyMap<number, string> {
    return new Map([...this.#numbers].filter(([, id]) => this.fateOf(id) === 'question'))
  }

  /** What becomes of a thread, or why it is left out. */
  fateOf(thread: string): 'question' | 'announcement' | { readonly leftOut: string } {
    const root = this.#roots.get(thread)
    if (root === undefined) return { leftOut: 'its question is not in the export' }
    const { type, visibility, openly, tags } = root
    if (visibility === 'deleted') return { leftOut: 'deleted there' }
    if (type !== 'question' && type !== 'note')
      return { leftOut: type === 'poll' ? 'poll' : 'of a kind that is not known' }
    const isForAll = visibility === 'course' || (visibility === null && this.#showsUnknown)
    const isByStaff =
      openly !== null && !tags.includes(BY_LEARNER) && (tags.includes(BY_STAFF) || this.#staff.has(openly))
    return type === 'note' && isForAll && isByStaff ? 'announcement' : 'question'
  }

  /** Why a post below a thread is left out though the thread isn't: here it would be read by all who read that. */
  reasonAgainst({ thread, visibility }: PiazzaPost): string | null {
    if (visibility === 'deleted') return 'deleted there'
    return visibility === 'private' && this.#roots.get(thread)?.visibility !== 'private'
      ? 'a private reply'
      : null
  }

  #root({ id, type, number, visibility, versions, tags }: PiazzaPost): void {
    if (this.#roots.has(id)) return
    const isOpen = versions.every(({ anonymity, uid }) => anonymity === 'no' && uid !== null)
    const [{ at, uid }] = versions
    this.#roots.set(id, { type, at, visibility, openly: isOpen ? uid : null, tags })
    if (number !== null) this.#numbers.set(number, id)
    this.hasUnknown ||= visibility === null
  }

  #answer(post: PiazzaPost): void {
    const { thread, type, versions, good } = post
    const isByStaff = type === 'i_answer'
    for (const { uid } of versions) if (isByStaff && uid !== null) this.#staff.add(uid)
    if (this.reasonAgainst(post) === null) this.#answers.push({ thread, good, isByStaff, at: versions[0].at })
  }

  /** The other question is named by its number or its id; whichever was asked later is the duplicate: the shape says no more. */
  #duplicate({ id, thread, versions }: PiazzaPost): void {
    const text = versions.map(({ title, content }) => `${title} ${content}`).join(' ')
    const named = Array.from(
      text.matchAll(/@(\d{1,9})\b|\bcid=(\w{1,40})|\b([a-z0-9]{2,40})\b/g),
      ([, at, cid, word]) => this.#numbers.get(Number(at ?? cid)) ?? cid ?? word ?? '',
    ).find((id) => id !== thread && this.fateOf(id) === 'question')
    const [one, other] = [this.#roots.get(thread), this.#roots.get(named ?? '')]
    if (named === undefined || one === undefined || other === undefined) return
    this.links.add(id)
    const isLater = one.at > other.at || (one.at.getTime() === other.at.getTime() && thread > named)
    if (isLater) this.duplicates.set(thread, named)
    else this.duplicates.set(named, thread)
  }
}
