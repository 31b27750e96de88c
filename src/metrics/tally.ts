import type { ServerResponse } from 'node:http'
import type { Histogram } from 'prom-client'

/** Counts answers of one route by status, and tells a histogram how long they took. */
export class Tally {
  readonly method: string
  /** The pattern, as `/questions/:id/:slug`: addresses have people's words in them, and there are too many. */
  readonly route: string
  readonly statuses = new Map<number, number>()
  private readonly durations: Histogram<'route'>

  constructor(method: string, route: string, durations: Histogram<'route'>) {
    this.method = method
    this.route = route
    this.durations = durations
  }

  /** @param milliseconds null: it goes on for as long as somebody reads, and says nothing */
  answered(status: number, milliseconds: number | null): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (milliseconds !== null) this.durations.observe({ route: this.route }, milliseconds / 1000)
  }

  /** For an answer that the framework does not see: to be called before it is sent. */
  answeredBy(response: ServerResponse): void {
    const begun = performance.now()
    response.once('finish', () => this.answered(response.statusCode, performance.now() - begun))
  }
}
