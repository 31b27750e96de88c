import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import { Random } from '../generate/random.ts'
import { Client, type Heard, type Wish } from './client.ts'
import { complaintsAbout } from './complaints.ts'
import { type FoundForm, type PageParts, partsOf } from './page-parts.ts'
import { fill, visit } from './wishes.ts'
import { enter, type FuzzRole, makeWorld, ROLES, type World } from './world.ts'

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

/** Steps after which a walker is somebody new, and all counts of limits begin anew, which would end the walk at 429. */
const RENEWAL = 150
/** What stands under a number or a name in an address, and is none itself. */
const NAMED = new Set(
  'new edit delete answers replies votes acceptance resolution following preview feed.atom similar link code'.split(
    ' ',
  ),
)
const NOTHING: PageParts = { links: [], forms: [], intruders: [] }

interface Walker {
  readonly role: FuzzRole
  readonly client: Client
  page: PageParts
}

/**
 * Walks the whole site as everybody by turns: opens what a page links to and sends its forms, the rarely seen first,
 * with every value that might trip it. What happens follows from the seed alone, but for tokens and times.
 */
export async function walk(url: string, db: Database, options: WalkOptions): Promise<Walked> {
  const random = new Random(options.seed)
  const world = await makeWorld(db)
  const walkers = ROLES.map((role): Walker => ({ role, client: new Client(url), page: NOTHING }))
  const findings: Finding[] = []
  const [forms, pages, statuses] = [new Tally<string>(), new Tally<string>(), new Tally<number>()]
  let step = 0
  while (options.goesOn(step)) {
    if (step % RENEWAL === 0) await renew(db, world, walkers)
    step += 1
    const walker = random.pick(walkers)
    const { wish, kind } = chooseWish(walker, world, url, random, { forms, pages })
    kind.count()
    const heard = await walker.client.send(wish)
    statuses.count(heard.status)
    const complaints = await complaintsAbout(wish, heard)
    if (complaints.length > 0) {
      const finding = { step, role: walker.role, wish: described(wish), complaints }
      findings.push(finding)
      options.found(finding)
    }
    walker.page = await arrive(walker, wish, heard)
    if (walker.role !== 'visitor' && random.chance(0.1)) await stayIn(db, world, walker)
  }
  for (const { client } of walkers) client.close()
  return { steps: step, findings, forms: forms.counts, pages: pages.counts, statuses: statuses.counts }
}

class Tally<Key> {
  readonly counts = new Map<Key, number>()

  count(key: Key): void {
    this.counts.set(key, this.of(key) + 1)
  }

  of(key: Key): number {
    return this.counts.get(key) ?? 0
  }
}

interface Tallies {
  readonly forms: Tally<string>
  readonly pages: Tally<string>
}

/** What to do on a page: of a few things on it, or of where one may begin, the one done least so far. */
function chooseWish(walker: Walker, world: World, url: string, random: Random, { forms, pages }: Tallies) {
  const { page, role } = walker
  if (page.forms.length > 0 && random.chance(0.6)) {
    const name = (form: FoundForm) => `${role} ${form.method} ${nameOf(form.action)}`
    const form = rarest(some(page.forms, random), (one) => forms.of(name(one)))
    return { wish: fill(form, url, random), kind: { count: () => forms.count(name(form)) } }
  }
  const name = (link: string) => `${role} ${nameOf(link)}`
  const links = page.links.length > 0 && random.chance(0.7) ? page.links : world.begins
  const link = rarest(some(links, random), (one) => pages.of(name(one)))
  return { wish: visit(link, random), kind: { count: () => pages.count(name(link)) } }
}

function some<Item>(items: readonly Item[], random: Random): Item[] {
  return Array.from({ length: 4 }, () => random.pick(items))
}

function rarest<Item>([first, ...others]: readonly Item[], countOf: (item: Item) => number): Item {
  if (first === undefined) throw new Error('nothing to choose from')
  return others.reduce((rare, item) => (countOf(item) < countOf(rare) ? item : rare), first)
}

/** `/questions/12/some-slug?sort=x` is one of many. */
function nameOf(path: string): string {
  const [, room = '', ...rest] = (path.split('?')[0] ?? '/').split('/')
  const parts = rest.map((part, at) => {
    if (/^\d+$/.test(part)) return ':id'
    return NAMED.has(part) || (room === 'settings' && at === 0) ? part : ':name'
  })
  return ['', room, ...parts].join('/')
}

/** The page that came, if one did; redirects are followed as browsers follow them. */
async function arrive(walker: Walker, wish: Wish, heard: Heard): Promise<PageParts> {
  const { location } = heard.headers
  if (heard.status >= 300 && heard.status < 400 && location?.startsWith('/') === true) {
    const path = location.split('#')[0] ?? '/'
    return partsOf((await walker.client.send({ method: 'GET', path })).body, path)
  }
  return heard.body === '' ? NOTHING : partsOf(heard.body, wish.path)
}

async function renew(db: Database, world: World, walkers: readonly Walker[]): Promise<void> {
  await sql`delete from tries`.execute(db)
  for (const walker of walkers) await enterAs(db, world, walker)
}

/** Signing out, leaving or ending one's sessions is part of the walk; the walk goes on as somebody new. */
async function stayIn(db: Database, world: World, walker: Walker): Promise<void> {
  const { status } = await walker.client.send({ method: 'GET', path: '/settings' })
  if (status !== 200) await enterAs(db, world, walker)
}

async function enterAs(db: Database, world: World, walker: Walker): Promise<void> {
  const session = await enter(db, world, walker.role)
  walker.client.cookies.clear()
  if (session !== null) walker.client.cookies.set('session', session)
  walker.page = NOTHING
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
