/** Somebody's view of a question. `viewsCount`: how often it was viewed before. */
export interface View {
  readonly questionId: number
  readonly viewsCount: number
  readonly visitor: Visitor
}

/** Who it is for one day. */
export interface Visitor {
  readonly name: string
  readonly hash: Buffer
}

/** Views of one question, by visitor. */
interface Waiting {
  readonly viewsCount: number
  readonly since: number
  readonly visitors: Map<string, Visitor>
}

/**
 * A hundredth more views changes nothing for who reads the number, but every page that shows it has to be made again: so
 * many wait for one another, though not for longer than this, in milliseconds.
 */
const NOTICED = 1 / 100
const LONGEST_WAIT = 10 * 60_000

/** Views that are not written yet, each visitor's of a question once. */
export class WaitingViews {
  private readonly questions = new Map<number, Waiting>()
  /** How many views wait. */
  size = 0

  add({ questionId, viewsCount, visitor }: View): void {
    const known = this.questions.get(questionId) ?? { viewsCount, since: Date.now(), visitors: new Map() }
    this.questions.set(questionId, known)
    if (!known.visitors.has(visitor.name)) this.size += 1
    known.visitors.set(visitor.name, visitor)
  }

  /** Takes out all, or only those of questions for which it is time. */
  take(isAll: boolean): View[] {
    const taken: View[] = []
    for (const [questionId, { viewsCount, since, visitors }] of this.questions) {
      const isDue = visitors.size >= viewsCount * NOTICED || Date.now() - since >= LONGEST_WAIT
      if (!isAll && !isDue) continue
      this.questions.delete(questionId)
      this.size -= visitors.size
      for (const visitor of visitors.values()) taken.push({ questionId, viewsCount, visitor })
    }
    return taken
  }
}
