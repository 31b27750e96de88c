import type { Random } from '../generate/random.ts'
import type { FuzzRequest } from './client.ts'
import type { FoundForm } from './page-parts.ts'
import { fill, visit } from './requests.ts'
import type { Walker } from './walkers.ts'

/** Counts actions. */
export class Tally<Key> {
  readonly counts = new Map<Key, number>()

  count(key: Key): void {
    this.counts.set(key, this.of(key) + 1)
  }

  of(key: Key): number {
    return this.counts.get(key) ?? 0
  }
}

/** Counts by role and path, with ids left out. */
export interface Tallies {
  /** Parts of paths that are no ids: those of routes. */
  readonly named: ReadonlySet<string>
  readonly forms: Tally<string>
  readonly pages: Tally<string>
}

/** Chooses the next action on a page: of a few links and forms, or of the start pages, the least used one. */
export function chooseRequest(
  { page, role, client }: Walker,
  begins: readonly string[],
  random: Random,
  { forms, pages, named }: Tallies,
): FuzzRequest {
  const nameOf = (path: string) => generalized(path, named)
  const called = (form: FoundForm) => `${role} ${form.method} ${nameOf(form.action)}`
  const form = page.forms.length === 0 ? null : rarest(page.forms, (one) => forms.of(called(one)))
  // A form that was submitted often gives way to links: searching and signing out are on every page.
  if (form !== null && random.chance(Math.max(0.1, 0.9 - forms.of(called(form)) / 30))) {
    forms.count(called(form))
    return fill(form, client.origin, random)
  }
  const name = (link: string) => `${role} ${nameOf(link)}`
  const links = page.links.length > 0 && random.chance(0.7) ? page.links : begins
  const link = rarest(some(links, random), (one) => pages.of(name(one)) / weightOf(nameOf(one)))
  pages.count(name(link))
  return visit(link, random)
}

/** Pages with posts and desks have most forms, so they are chosen more often. */
const weightOf = (name: string) => (/^\/questions\/(?::id\/:name|new)$|\/desk$/.test(name) ? 8 : 1)

function some<Item>(items: readonly Item[], random: Random): Item[] {
  return Array.from({ length: 4 }, () => random.pick(items))
}

function rarest<Item>([first, ...others]: readonly Item[], countOf: (item: Item) => number): Item {
  if (first === undefined) throw new Error('nothing to choose from')
  return others.reduce((rare, item) => (countOf(item) < countOf(rare) ? item : rare), first)
}

/** A path with its ids and names left out: `/questions/12/some-slug?sort=x` is one of many. */
function generalized(path: string, named: ReadonlySet<string>): string {
  const [, ...parts] = (path.split('?')[0] ?? '/').split('/')
  return ['', ...parts.map((part) => (named.has(part) ? part : /^\d+$/.test(part) ? ':id' : ':name'))].join(
    '/',
  )
}
