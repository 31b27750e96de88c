import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './schema.ts'

/** So many are asked for at one go at the most: what it locks must soon be free again. */
const MOST = 50

/** How long those who come later wait for those who are at it, in milliseconds: a lock somewhere must not hold up everybody. */
const PATIENCE = 50

/**
 * Asks the database once for all who want the same kind of thing while it is busy with those before them: a message more
 * costs both sides more than what is in it. Who comes while nobody is at it waits for nobody.
 * @param work answers all, in their order. When it fails, it fails for all of them
 */
export function together<Asked, Answer>(
  work: (db: Database, all: readonly Asked[]) => Promise<readonly Answer[]>,
): (db: Database, asked: Asked) => Promise<Answer> {
  const gatherings = new WeakMap<Database, Gathering<Asked, Answer>>()
  return (db, asked) => {
    const gathering = gatherings.get(db) ?? new Gathering((all: readonly Asked[]) => work(db, all))
    gatherings.set(db, gathering)
    return gathering.ask(asked)
  }
}

interface Waiting<Asked, Answer> {
  readonly asked: Asked
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

class Gathering<Asked, Answer> {
  private readonly work: (all: readonly Asked[]) => Promise<readonly Answer[]>
  private readonly waiting: Waiting<Asked, Answer>[] = []
  private isRunning = false

  constructor(work: (all: readonly Asked[]) => Promise<readonly Answer[]>) {
    this.work = work
  }

  ask(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ asked, resolve, reject })
      if (!this.isRunning) void this.run()
    })
  }

  private async run(): Promise<void> {
    this.isRunning = true
    // Who asks in this turn of the event loop comes along.
    await setImmediate()
    while (this.waiting.length > 0) {
      const some = this.waiting.splice(0, MOST)
      await Promise.race([this.answer(some), sleep(PATIENCE, undefined, { ref: false })])
    }
    this.isRunning = false
  }

  private async answer(some: readonly Waiting<Asked, Answer>[]): Promise<void> {
    try {
      const answers = await this.work(some.map(({ asked }) => asked))
      for (const [place, { resolve }] of some.entries()) resolve(answers[place] as Answer)
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }
}
