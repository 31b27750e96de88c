import type { Database } from '../../database/schema.ts'
import { Random } from '../generate/random.ts'
import { apiRequest } from './api-requests.ts'
import { BEGINS } from './begins.ts'
import { chooseRequest, Tally } from './choices.ts'
import type { FuzzRequest } from './client.ts'
import { complaintsAbout } from './complaints.ts'
import { partsOf } from './page-parts.ts'
import { makeWalkers, NOTHING, renew, stayIn, type Walker } from './walkers.ts'
import { type FuzzRole, makeWorld } from './world.ts'

export interface Finding {
  /** Counted from 1: the same seed finds it at the same step. */
  readonly step: number
  readonly role: FuzzRole
  readonly request: string
  readonly complaints: readonly string[]
}

export interface Walked {
  readonly steps: number
  readonly findings: readonly Finding[]
  /** How often each form was sent, by role and path with ids left out. */
  readonly forms: ReadonlyMap<string, number>
  readonly pages: ReadonlyMap<string, number>
  readonly statuses: ReadonlyMap<number, number>
}

export interface WalkOptions {
  readonly seed: number
  /** Checked before each step. */
  readonly goesOn: (step: number) => boolean
  readonly found: (finding: Finding) => void
  /** Parts of paths that are no ids. */
  readonly named: ReadonlySet<string>
}

/** Steps after which a walker becomes a new person. */
const STEPS_PER_PERSON = 150
/** Share of requests that a program sends instead of a browser. */
const API_SHARE = 0.08

/**
 * Walks the whole site as each role in turn: follows links and submits forms, the least used first, with hostile
 * values. The walk is determined by the seed, except for tokens and times.
 */
export async function walk(url: string, db: Database, options: WalkOptions): Promise<Walked> {
  const random = new Random(options.seed)
  const world = await makeWorld(db)
  const walkers = makeWalkers(url)
  const findings: Finding[] = []
  const [forms, pages, statuses] = [new Tally<string>(), new Tally<string>(), new Tally<number>()]
  const tallies = { forms, pages, named: options.named }
  let step = 0
  const lookInto: LookInto = ({ role }, request, status, complaints) => {
    statuses.count(status)
    if (complaints.length === 0) return
    const finding = { step, role, request: described(request), complaints }
    findings.push(finding)
    options.found(finding)
  }
  while (options.goesOn(step)) {
    if (step % STEPS_PER_PERSON === 0) await renew(db, world, walkers)
    step += 1
    const walker = random.pick(walkers)
    const request = random.chance(API_SHARE)
      ? apiRequest(walker.token, world.posts, random)
      : chooseRequest(walker, [...BEGINS, ...world.posts], random, tallies)
    await act(walker, request, lookInto)
    await stayIn(db, world, walker, random.chance(0.1))
  }
  for (const { client } of walkers) client.close()
  return { steps: step, findings, forms: forms.counts, pages: pages.counts, statuses: statuses.counts }
}

type LookInto = (walker: Walker, request: FuzzRequest, status: number, complaints: readonly string[]) => void

/** Sends a request, and follows a redirect once. */
async function act(walker: Walker, request: FuzzRequest, lookInto: LookInto): Promise<void> {
  const heard = await walker.client.send(request)
  lookInto(walker, request, heard.status, await complaintsAbout(request, heard))
  const { location } = heard.headers
  const isRedirect = heard.status >= 300 && heard.status < 400
  if (!isRedirect || location?.startsWith('/') !== true || request.path === location) {
    walker.page = heard.body === '' ? NOTHING : partsOf(heard.body, request.path)
    return
  }
  const next = { method: 'GET', path: location.split('#')[0] ?? '/' }
  const arrived = await walker.client.send(next)
  lookInto(walker, next, arrived.status, await complaintsAbout(next, arrived))
  walker.page = partsOf(arrived.body, next.path)
}

function described({ method, path, headers, body }: FuzzRequest): string {
  const sent = Buffer.isBuffer(body) ? body.toString('latin1') : (body ?? '')
  const more = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value.slice(0, 60)}`)
  return [
    `${method} ${path.slice(0, 300)}`,
    ...more,
    sent.replace(/_csrf=[^&]*/, '_csrf=…').slice(0, 600),
  ].join('\n    ')
}
