import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Change } from '../../web/change-feed/change.ts'

const OWN = /^own:(\d+)$/

/** Tells people who have a page open how much they were told and have not seen, whenever that changes. */
export class Bells {
  private readonly app: FastifyInstance
  private readonly byPerson = new Map<number, Set<ServerResponse>>()
  private readonly told = new WeakMap<ServerResponse, number>()
  /** People whose count is being looked up: what changes meanwhile is looked up after it. */
  private readonly asked = new Map<number, boolean>()

  constructor(app: FastifyInstance) {
    this.app = app
  }

  /** Now, and from now on until the connection ends. */
  add(personId: number, response: ServerResponse): void {
    const responses = this.byPerson.get(personId) ?? new Set()
    this.byPerson.set(personId, responses.add(response))
    response.once('close', () => {
      responses.delete(response)
      if (responses.size === 0) this.byPerson.delete(personId)
    })
    void this.tell(personId)
  }

  hear({ scopes }: Change): void {
    for (const scope of scopes) {
      const personId = Number(OWN.exec(scope)?.[1] ?? 0)
      if (this.byPerson.has(personId)) void this.tell(personId)
    }
  }

  private async tell(personId: number): Promise<void> {
    if (this.asked.has(personId)) return void this.asked.set(personId, true)
    this.asked.set(personId, false)
    const { unseenCount } = await this.app.ownParts(personId)
    const isStale = this.asked.get(personId) === true
    this.asked.delete(personId)
    if (isStale) return this.tell(personId)
    for (const response of this.byPerson.get(personId) ?? []) {
      const isGone = response.writableEnded || response.destroyed
      if (isGone || this.told.get(response) === unseenCount) continue
      this.told.set(response, unseenCount)
      response.write(`event: notifications\ndata: ${unseenCount}\n\n`)
    }
  }
}
