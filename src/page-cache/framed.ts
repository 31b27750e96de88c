import type { Change } from '../changes/change.ts'
import { inOnePiece } from '../text/in-one-piece.ts'
import { entityTag } from '../web/entity-tag.ts'
import { concerns } from './concerns.ts'
import type { Answer, Rendered } from './page-rendering.ts'
import type { Part, Shown } from './shown.ts'

/** So many changes a page misses at the most before it is made again as a whole. */
const MOST = 50

/** A page as it is sent, and the same as a frame with a part in it; null: it has none. */
export interface Pieced extends Rendered {
  readonly framed: Framed | null
}

/** What stands around a part, and what it shows. */
interface Frame {
  readonly before: string
  readonly after: string
  readonly headers: Answer['headers']
  readonly shown: Shown
}

/** A page that can be made again by its part alone, as long as nothing changes around it. */
export class Framed {
  /** Bytes kept, about. */
  readonly size: number
  private readonly frame: Frame
  private readonly again: Part['again']
  /** Changes that the part does not show. */
  private readonly missed: Change[] = []

  constructor(frame: Frame, { html, again }: Part) {
    this.frame = frame
    this.again = again
    this.size = frame.before.length + html.length + frame.after.length
  }

  /** @returns false: the frame may be another one after this change, or too much has changed */
  miss(change: Change): boolean {
    return this.missed.push(change) <= MOST && !concerns(change, this.frame.shown)
  }

  /** The page with all that it missed until now; null: it is to be made as a whole. */
  async withMissed(): Promise<Pieced | null> {
    const { frame } = this
    const part = await this.again([...this.missed])
    if (part === null) return null
    const payload = `${frame.before}${part.html}${frame.after}`
    const headers = { ...frame.headers, etag: entityTag(payload) }
    const answer = { statusCode: 200, headers, payload, rawPayload: Buffer.from(payload) }
    return { answer, shown: frame.shown.with(part.shown), framed: new Framed(frame, part) }
  }
}

/** Tells the part of a page from what stands around it. */
export function inPieces({ answer, shown }: Rendered): Pieced {
  const { part } = shown
  if (part === null) return { answer, shown, framed: null }
  const whole = shown.with(part.shown)
  // What stands around lasts longer than this part.
  shown.part = null
  const [before, after, ...others] = answer.payload.split(part.html)
  const isOnce = before !== undefined && after !== undefined && others.length === 0
  // What stands around grows old by itself.
  if (!isOnce || shown.freshFor > 0) return { answer, shown: whole, framed: null }
  const { headers } = answer
  const frame = { before: inOnePiece(before), after: inOnePiece(after), headers, shown }
  return { answer, shown: whole, framed: new Framed(frame, part) }
}
