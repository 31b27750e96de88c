import type { Database } from '../database/schema.ts'
import { Random } from '../generate/random.ts'
import { chooseWish, Tally } from './choices.ts'
import type { Wish } from './client.ts'
import { complaintsAbout } from './complaints.ts'
import { partsOf } from './page-parts.ts'
import { makeWalkers, NOTHING, renew, stayIn, type Walker } from './walkers.ts'
import { BEGINS, type FuzzRole, makeWorld } from './world.ts'

export interface Finding {
  /** Counted from 1: the same seed finds it at the same step. */
  readonly step: number
  readonly role: FuzzRole
  readonly wish: string
  readonly complaints: readonly string[]
}

export interface Walked {
  readonly steps: number
  readonly findings: readonly Finding[]
  /** How often each form was sent, by role and path with its numbers left out. */
  readonly forms: ReadonlyMap<string, number>
  readonly pages: ReadonlyMap<string, number>
  readonly statuses: ReadonlyMap<number, number>
}

export interface WalkOptions {
  readonly seed: number
  /** Asked before each step. */
  readonly goesOn: (step: number) => boolean
  readonly found: (finding: Finding) => void
}

/** Steps after which a walker is somebody new. */
const RENEWAL = 150

/**
 * Walks the whole site as everybody by turns: opens what a page links to and sends its forms, the rarely seen first,
 * with every value that might trip it. What happens follows from the seed alone, but for tokens and times.
 */
export async function walk(url: string, db: Database, options: WalkOptions): Promise<Walked> {
  const random = new Random(options.seed)
  const world = await makeWorld(db)
  const walkers = makeWalkers(url)
  const findings: Finding[] = []
  const [forms, pages, statuses] = [new Tally<string>(), new Tally<string>(), new Tally<number>()]
  let step = 0
  const lookInto: LookInto = ({ role }, wish, status, complaints) => {
    statuses.count(status)
    if (complaints.length === 0) return
    const finding = { step, role, wish: described(wish), complaints }
    findings.push(finding)
    options.found(finding)
  }
  while (options.goesOn(step)) {
    if (step % RENEWAL === 0) await renew(db, world, walkers)
    step += 1
    const walker = random.pick(walkers)
    await act(walker, chooseWish(walker, [...BEGINS, ...world.posts], random, { forms, pages }), lookInto)
    await stayIn(db, world, walker, random.chance(0.1))
  }
  for (const { client } of walkers) client.close()
  return { steps: step, findings, forms: forms.counts, pages: pages.counts, statuses: statuses.counts }
}

type LookInto = (walker: Walker, wish: Wish, status: number, complaints: readonly string[]) => void

/** Sends a wish, and goes where it leads, once. */
async function act(walker: Walker, wish: Wish, lookInto: LookInto): Promise<void> {
  const heard = await walker.client.send(wish)
  lookInto(walker, wish, heard.status, await complaintsAbout(wish, heard))
  const { location } = heard.headers
  const isRedirect = heard.status >= 300 && heard.status < 400
  if (!isRedirect || location?.startsWith('/') !== true || wish.path === location) {
    walker.page = heard.body === '' ? NOTHING : partsOf(heard.body, wish.path)
    return
  }
  const next = { method: 'GET', path: location.split('#')[0] ?? '/' }
  const arrived = await walker.client.send(next)
  lookInto(walker, next, arrived.status, await complaintsAbout(next, arrived))
  walker.page = partsOf(arrived.body, next.path)
}

function described({ method, path, headers, body }: Wish): string {
  const sent = Buffer.isBuffer(body) ? body.toString('latin1') : (body ?? '')
  const more = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value.slice(0, 60)}`)
  return [
    `${method} ${path.slice(0, 300)}`,
    ...more,
    sent.replace(/_csrf=[^&]*/, '_csrf=…').slice(0, 600),
  ].join('\n    ')
}
