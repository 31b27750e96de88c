import { createHmac, randomBytes, randomInt } from 'node:crypto'
import type { PersonRow } from './exported-rows.ts'
import type { Referred } from './references.ts'

export type NamedKind = Referred | 'lecture' | 'category' | 'announcement' | 'faq'

/** What posts and people are called in an export. */
export interface Disguise {
  readonly isPseudonymous: boolean
  idOf(kind: NamedKind, id: number | string): string
  /** null: nobody of the export. */
  nameOf(personId: number): string | null
}

/** Everything under its number and its name here. */
export function undisguised(people: readonly PersonRow[]): Disguise {
  const names = new Map(people.map(({ id, name }) => [id, name]))
  return { isPseudonymous: false, idOf: (_kind, id) => String(id), nameOf: (id) => names.get(id) ?? null }
}

/** Ids of which none says what it was, and names in an order of chance: no two exports have one in common. */
export function pseudonyms(people: readonly PersonRow[]): Disguise {
  const key = randomBytes(32)
  const names = new Map(shuffled(people).map(({ id }, index) => [id, `Person ${index + 1}`]))
  return {
    isPseudonymous: true,
    idOf: (kind, id) => createHmac('sha256', key).update(`${kind}/${id}`).digest('base64url').slice(0, 22),
    nameOf: (id) => names.get(id) ?? null,
  }
}

export function shuffled<Item>(items: readonly Item[]): Item[] {
  const mixed = [...items]
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1)
    const [one, two] = [mixed[last], mixed[other]]
    if (one !== undefined && two !== undefined) [mixed[last], mixed[other]] = [two, one]
  }
  return mixed
}
