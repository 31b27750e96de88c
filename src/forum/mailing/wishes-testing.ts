import type { Rhythm, Role } from '../../database/schema.ts'

/** Something that a person may have to be told: a post, that a post mentions them, or what happened to their answer or question. */
export interface Item {
  readonly person: number
  /** null: of an announcement. */
  readonly question: number | null
  readonly kind: 'question' | 'answer' | 'reply' | 'announcement' | Said
  /** null: it is no post. */
  readonly post: Post | null
  /** owed: a mail has to tell it; settled: none may any more; free: nothing is said of it, but once at most. */
  mail: 'owed' | 'settled' | 'free'
  bell: 'unseen' | 'seen' | 'free'
}

export type Said = 'accepted' | 'endorsed' | 'promise'

export interface Post {
  readonly kind: 'question' | 'answer' | 'reply' | 'announcement'
  readonly id: number
  readonly question: number | null
  /** null: none of those whom the model knows. */
  readonly author: number | null
  /** The answer that a reply is under. */
  readonly under: Post | null
  body: string
  /** What it said before edits. */
  readonly formerBodies: string[]
  mentioned: number | null
  /** An edit began to mention them. */
  isMentionAdded: boolean
  isDeleted: boolean
}

export interface Question {
  readonly id: number
  readonly asker: number
  readonly lecture: boolean
  readonly tag: boolean
  isPrivate: boolean
  isDeleted: boolean
  accepted: Post | null
  readonly endorsed: Set<Post>
}

/** Kinds of mail that are switched together. */
export const GROUPS = {
  posts: ['answered', 'reply', 'followed'],
  mention: ['mention'],
  honours: ['accepted', 'endorsed'],
  question: ['question'],
  announcement: ['announcement'],
  promise: ['promise'],
} as const
export type Group = keyof typeof GROUPS

/** Somebody, as they are and what they chose. */
export interface Somebody {
  role: Role | null
  hasLeft: boolean
  rhythm: Rhythm
  courseRhythm: Rhythm | null
  readonly off: Set<Group>
  followsCourse: boolean | null
  followsLecture: boolean
  followsTag: boolean
}

export function isSaid(kind: Item['kind']): kind is Said {
  return kind === 'accepted' || kind === 'endorsed' || kind === 'promise'
}

/** The first event of a question that waits to be mailed, as the week it came in. */
type Waiting = Map<number, number>

/**
 * What people may and wish to know, kept beside the forum: who hears of what follows here from what was done, by rules written down
 * a second time.
 */
export class Wishes {
  readonly people: Somebody[]
  readonly questions: Question[] = []
  readonly posts: Post[] = []
  readonly items: Item[] = []
  /** Questions of which staff were told that they wait, and which still do. */
  overdue: ReadonlySet<number> = new Set()
  private readonly levels = new Map<string, 'follow' | 'mute'>()
  private readonly waiting: Waiting[]
  private week = 0

  constructor(roles: readonly Role[]) {
    this.people = roles.map((role) => ({
      ...{ role, hasLeft: false, rhythm: 'soon', courseRhythm: null, off: new Set<Group>() },
      ...{ followsCourse: null, followsLecture: false, followsTag: false },
    }))
    this.waiting = roles.map(() => new Map())
  }

  get numbers(): number[] {
    return [...this.people.keys()]
  }

  person(number: number): Somebody {
    const person = this.people[number]
    if (person === undefined) throw new Error(`nobody is ${number}`)
    return person
  }

  question(number: number): Question {
    const question = this.questions[number]
    if (question === undefined) throw new Error(`no question is ${number}`)
    return question
  }

  isStaff(number: number): boolean {
    const { role } = this.person(number)
    return role !== null && role !== 'learner'
  }

  /** The course is for its members alone. */
  reads(number: number, question: number | null): boolean {
    const { role, hasLeft } = this.person(number)
    if (hasLeft || role === null) return false
    if (question === null) return true
    const { isDeleted, isPrivate, asker } = this.question(question)
    return !isDeleted && (!isPrivate || asker === number || this.isStaff(number))
  }

  level(number: number, question: number): 'follow' | 'mute' | null {
    return this.levels.get(`${number} ${question}`) ?? null
  }

  setLevel(number: number, question: number, level: 'follow' | 'mute' | null): void {
    // Staff who were told that it waits hear of what else comes there only as long as they follow it.
    if (level !== 'follow' && this.isStaff(number))
      for (const item of this.items)
        if (item.person === number && item.question === question && item.bell === 'unseen') item.bell = 'free'
    if (level === null) this.levels.delete(`${number} ${question}`)
    else this.levels.set(`${number} ${question}`, level)
  }

  rhythmOf(number: number): Rhythm {
    const { courseRhythm, rhythm } = this.person(number)
    return courseRhythm ?? rhythm
  }

  /** Somebody wrote it: who hears of it is told, by the strongest reason. */
  write(post: Post): void {
    this.posts.push(post)
    const { question, author } = post
    if (post.mentioned !== null && !this.mayMention(post, post.mentioned)) post.mentioned = null
    if (question !== null && post.mentioned !== null) this.follow(post.mentioned, question)
    for (const number of this.numbers) {
      if (number === author) continue
      const group = this.groupOf(post, number)
      const isTold = this.hears(post, number) && this.reads(number, question)
      this.add({ person: number, question, kind: post.kind, post }, isTold ? group : null)
    }
    if (question === null || author === null) return
    this.follow(author, question)
    this.see(author, question)
  }

  /** Whether a name in a post is a mention: of somebody else who may read it. */
  mayMention({ question, author }: Post, number: number): boolean {
    return question !== null && number !== author && this.reads(number, question)
  }

  /** An edit of a post: whom it mentions now and did not before is told, and nobody else. */
  edited(post: Post, editor: number, body: string, mentioned: number | null): void {
    post.formerBodies.push(post.body)
    post.body = body
    const before = post.mentioned
    post.mentioned = mentioned !== null && this.mayMention(post, mentioned) ? mentioned : null
    if (before === post.mentioned) return
    for (const item of this.items)
      if (item.post === post && item.person === before && post.isMentionAdded) {
        if (item.mail === 'owed') item.mail = 'free'
        if (item.bell === 'unseen') item.bell = 'free'
      }
    post.isMentionAdded = post.mentioned !== null
    const { question } = post
    if (question === null || post.mentioned === null) return
    this.follow(post.mentioned, question)
    if (post.mentioned === editor || this.level(post.mentioned, question) === 'mute') return
    this.add({ person: post.mentioned, question, kind: post.kind, post }, 'mention')
  }

  /** An answer of somebody's was accepted or endorsed, or staff are to hear that a question waits. */
  said(number: number, question: number, kind: Said, post: Post | null): void {
    if (!this.reads(number, question) || this.level(number, question) === 'mute') return
    this.add({ person: number, question, kind, post }, kind === 'promise' ? 'promise' : 'honours')
  }

  /** Whether something is still so, and the person may know it: now. */
  holds({ person, question, kind, post }: Item): boolean {
    if (!this.reads(person, question)) return false
    if (kind === 'promise') return this.overdue.has(question ?? -1)
    if (post === null || post.isDeleted || post.under?.isDeleted === true) return false
    if (kind === 'accepted') return this.question(question ?? -1).accepted === post
    return kind !== 'endorsed' || this.question(question ?? -1).endorsed.has(post)
  }

  /** Whether the person wants a mail of it: now. */
  isWished(item: Item): boolean {
    const { person, question, kind, post } = item
    const { off } = this.person(person)
    if (!this.holds(item) || this.rhythmOf(person) === 'never') return false
    if (question !== null && this.level(person, question) === 'mute') return false
    if (isSaid(kind)) return !off.has(kind === 'promise' ? 'promise' : 'honours')
    if (post === null) return false
    const group = this.groupOf(post, person)
    const isTold = group !== 'posts' || (question !== null && this.level(person, question) === 'follow')
    return isTold && !off.has(group)
  }

  /** Whether the time has come to mail what waits of a question. */
  isDue(number: number, question: number | null): boolean {
    if (question === null) return true
    const since = this.waiting[number]?.get(question)
    return since !== undefined && (this.rhythmOf(number) === 'soon' || since < this.week)
  }

  /** Of all that was due the mail has been written. */
  mailed(number: number, told: ReadonlySet<Item>): void {
    for (const item of this.items.filter(({ person }) => person === number)) {
      if (told.has(item)) item.mail = 'settled'
      else if (item.mail === 'owed' && this.isDue(number, item.question)) item.mail = 'settled'
    }
    for (const question of [...(this.waiting[number]?.keys() ?? [])])
      if (this.isDue(number, question)) this.waiting[number]?.delete(question)
  }

  /** Somebody read a question, or wrote in it; null: they read the announcements. */
  see(number: number, question: number | null): void {
    if (question !== null) this.waiting[number]?.delete(question)
    for (const item of this.items)
      if (item.person === number && item.question === question) {
        item.mail = 'settled'
        item.bell = 'seen'
      }
  }

  /** Somebody wants no mail: what waits is mailed no more. */
  silence(number: number): void {
    this.waiting[number]?.clear()
    for (const item of this.items) if (item.person === number && item.mail === 'owed') item.mail = 'settled'
  }

  /** When what waits of somebody's is mailed is not known any more. */
  loosen(number: number): void {
    for (const item of this.items) if (item.person === number && item.mail === 'owed') item.mail = 'free'
  }

  weekPasses(): void {
    this.week += 1
  }

  /** In place of the same that was told before. @param told the reason; null: they are not told */
  private add(item: Pick<Item, 'person' | 'question' | 'kind' | 'post'>, told: Group | null): void {
    const { person, question, kind, post } = item
    const isSame = (one: Item) => one.person === person && one.question === question && one.kind === kind
    const known = this.items.findIndex((one) => isSame(one) && (isSaid(kind) || one.post === post))
    if (known >= 0) this.items.splice(known, 1)
    const { off } = this.person(item.person)
    const isNever = this.rhythmOf(item.person) === 'never'
    const isOwed = told !== null && !off.has(told) && !isNever
    const mail = isOwed ? 'owed' : told !== null && isNever ? 'settled' : 'free'
    this.items.push({ ...item, mail, bell: told === null ? 'free' : 'unseen' })
    const waiting = this.waiting[item.person]
    if (isOwed && item.question !== null && waiting !== undefined && !waiting.has(item.question))
      waiting.set(item.question, this.week)
  }

  private follow(number: number, question: number): void {
    if (this.level(number, question) === null) this.setLevel(number, question, 'follow')
  }

  /** Why somebody is told of a post. */
  private groupOf({ kind, mentioned }: Post, number: number): Group {
    if (kind === 'announcement') return 'announcement'
    if (mentioned === number) return 'mention'
    return kind === 'question' ? 'question' : 'posts'
  }

  private hears(post: Post, number: number): boolean {
    const { kind, question, mentioned } = post
    const { role, followsCourse, followsLecture, followsTag } = this.person(number)
    if (question === null) return role !== null || followsCourse === true
    if (this.level(number, question) === 'mute') return false
    if (mentioned === number) return true
    if (kind !== 'question') return this.level(number, question) === 'follow'
    const { lecture, tag, asker } = this.question(question)
    if ((lecture && followsLecture) || (tag && followsTag) || followsCourse === true) return true
    return this.isTeacher(number, asker)
  }

  /** Staff follow unless they said no; where all did, the first instructor is told, or else the first of the staff. */
  private isTeacher(number: number, asker: number): boolean {
    const staff = this.numbers.filter(
      (one) => this.isStaff(one) && one !== asker && !this.person(one).hasLeft,
    )
    const listening = staff.filter((one) => this.person(one).followsCourse !== false)
    if (listening.length > 0) return listening.includes(number)
    return (staff.find((one) => this.person(one).role === 'instructor') ?? staff[0]) === number
  }
}
