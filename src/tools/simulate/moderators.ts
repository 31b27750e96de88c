import type { Database } from '../../database/schema.ts'
import type { Visit } from './forum.ts'
import type { Offence } from './offenders.ts'
import { settle, settleCase } from './settle.ts'

/** Staff who look through the open cases of the course before they go to the desk: by its pages and forms. */
export class Moderators {
  private readonly db: Database
  private readonly path: string
  private readonly offences: ReadonlyMap<number, Offence>

  constructor(db: Database, slug: string, offences: ReadonlyMap<number, Offence>) {
    this.db = db
    this.path = `/courses/${slug}/moderation`
    this.offences = offences
  }

  /** Opens the case that has waited longest. @returns null: none is open */
  async open(visit: Visit): Promise<OpenedCase | null> {
    const queue = await visit.open(this.path)
    const path = /href="(\/cases\/\d+)"/.exec(queue.html)?.[1]
    if (path === undefined) return null
    const shown = await visit.open(path)
    const offence = this.offences.get(Number(/#answer-(\d+)"/.exec(shown.html)?.[1]))
    if (offence === undefined) throw new Error(`${path} is about no post of the simulation`)
    return { path, shown, offence }
  }

  /** Hides the post, and suspends a spammer for good; a rude person is warned. */
  async decide(visit: Visit, { path, shown, offence }: OpenedCase, at: number): Promise<void> {
    const isSpam = offence.reason === 'spam'
    await visit.submit(shown, `${path}/decision`, {
      ...{ decision: 'uphold', measure: isSpam ? 'hide suspend' : 'hide warn', suspend: 'for-good' },
      ...{ rule: '', note: isSpam ? '' : 'Please be kind.', reporter_note: '', staff_note: '' },
    })
    offence.hiddenAt = at
    await settleCase(this.db, offence.answerId, new Date(at))
    await settle(this.db, offence.thread.id, new Date(at))
  }
}

interface OpenedCase {
  readonly path: string
  readonly shown: Awaited<ReturnType<Visit['open']>>
  readonly offence: Offence
}
