import type { Random } from '../generate/random.ts'
import type { Wish } from './client.ts'
import type { FoundForm } from './page-parts.ts'
import type { Walker } from './walkers.ts'
import { fill, visit } from './wishes.ts'

/** What stands under a number or a name in an address, and is none itself. */
const NAMED = new Set(
  'new edit delete answers replies votes acceptance resolution following preview feed.atom similar link code'.split(
    ' ',
  ),
)

/** How often something was done. */
export class Tally<Key> {
  readonly counts = new Map<Key, number>()

  count(key: Key): void {
    this.counts.set(key, this.of(key) + 1)
  }

  of(key: Key): number {
    return this.counts.get(key) ?? 0
  }
}

/** What was done so far, by role and path with its numbers left out. */
export interface Tallies {
  readonly forms: Tally<string>
  readonly pages: Tally<string>
}

/** What to do on a page: of a few things on it, or of where one may begin, the one done least so far. */
export function chooseWish(
  { page, role, client }: Walker,
  begins: readonly string[],
  random: Random,
  { forms, pages }: Tallies,
): Wish {
  const called = (form: FoundForm) => `${role} ${form.method} ${nameOf(form.action)}`
  const form = page.forms.length === 0 ? null : rarest(page.forms, (one) => forms.of(called(one)))
  // Searching and signing out are on every page: what was done often makes way for going on.
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

/** Where most is written, and most forms are, is gone to more often. */
const weightOf = (name: string) => (/^\/questions\/(?::id\/:name|new)$/.test(name) ? 8 : 1)

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
