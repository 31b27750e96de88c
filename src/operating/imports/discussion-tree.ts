import type { ImportTally } from '../exchange/import-tally.ts'

/** Where a post is below a topic. */
export interface Tree {
  readonly id: string
  /** The post that it is below; null: it is at the top. */
  readonly parent: string | null
  /** What it is there, if it is at the top. */
  readonly top: 'answer' | 'reply'
  readonly at: Date
  readonly isDeleted: boolean
  /** Why it and all below it are left out. */
  readonly withheld?: string | null
}

/** What becomes of a post. */
interface Place {
  readonly isAnswer: boolean
  /** Of the answer that it is below, or is; null: it is under the question. */
  readonly answer: string | null
  readonly withheld: string | null
  /** In milliseconds: not before what it answers, whatever its own clock said. */
  readonly after: number
}

interface Topic<Entry extends Tree> {
  readonly isDeleted: boolean
  readonly entries: readonly Entry[]
}

/**
 * Posts at the top are answers, deeper ones replies under them, after what they reply to and by time. A cycle of replies, and one to a post
 * that isn't there, is under the question. A deleted answer keeps its place for the replies to it.
 */
export function placed<Entry extends Tree>(topic: Topic<Entry>, tally: ImportTally) {
  const byId = new Map<string, Entry>()
  for (const entry of topic.entries)
    if (byId.has(entry.id))
      tally.skipped(entry.top === 'answer' ? 'answers' : 'replies', 'twice in the files')
    else byId.set(entry.id, entry)
  const places = placesOf(byId, tally)
  const answers: Entry[] = []
  const replies: { entry: Entry; answer: string | null; after: number }[] = []
  for (const [id, entry] of byId) {
    const { isAnswer, answer, withheld, after } = places.get(id) ?? LOST
    const why = topic.isDeleted ? 'their question was deleted there' : withheld
    if (why !== null) tally.skipped(isAnswer ? 'answers' : 'replies', why)
    else if (isAnswer) answers.push(entry)
    else if (entry.isDeleted) tally.skipped('replies', 'deleted there')
    else replies.push({ entry, answer, after })
  }
  if (topic.isDeleted) tally.skipped('questions', 'deleted there')
  const answered = new Set(replies.map(({ answer }) => answer))
  const kept = answers.filter(({ id, isDeleted }) => !isDeleted || answered.has(id))
  tally.skipped('answers', 'deleted there', answers.length - kept.length)
  tally.note(
    'answers that were deleted there: without text and author, for the replies to them',
    kept.filter(({ isDeleted }) => isDeleted).length,
  )
  return { answers: kept, replies: replies.sort((one, other) => one.after - other.after) }
}

const LOST: Place = { isAnswer: false, answer: null, withheld: null, after: 0 }

/** Each post is looked at once, however deep the tree is. */
function placesOf<Entry extends Tree>(byId: ReadonlyMap<string, Entry>, tally: ImportTally) {
  const places = new Map<string, Place>()
  for (const start of byId.values()) {
    const path: Entry[] = []
    const onPath = new Set<string>()
    let next: Entry | undefined = start
    while (next !== undefined && !places.has(next.id) && !onPath.has(next.id)) {
      path.push(next)
      onPath.add(next.id)
      next = next.parent === null ? undefined : byId.get(next.parent)
    }
    for (const entry of path.reverse()) {
      const above = entry.parent === null ? null : (places.get(entry.parent) ?? LOST)
      if (above === LOST)
        tally.note('replies to posts that are not in the files: they are under the question')
      places.set(entry.id, placeOf(entry, above))
    }
  }
  return places
}

function placeOf({ id, top, at, withheld = null }: Tree, above: Place | null): Place {
  const isAnswer = above === null && top === 'answer'
  return {
    isAnswer,
    answer: isAnswer ? id : (above?.answer ?? null),
    withheld: withheld ?? above?.withheld ?? null,
    after: Math.max(at.getTime(), above?.after ?? 0),
  }
}
