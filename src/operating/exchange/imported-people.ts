import { createHash } from 'node:crypto'
import { email } from '../../accounts/identity/fields.ts'
import type { Role, Write } from '../../database/schema.ts'
import { reader } from '../../kernel/operation.ts'
import { insertRows, takeIds } from '../foreign/bulk.ts'
import { importedName, isReserved } from '../foreign/display-name.ts'
import type { Author, Line } from './format.ts'
import type { ImportRun } from './import-run.ts'

/** Whom posts of an export name: its people, names of accounts that are gone, and those whom no one knows. */
export interface Named {
  readonly key: string
  readonly name: string
  readonly joinedAt: Date
  /** null: the export has none that could be an account's. */
  readonly email: string | null
  /** They are no one any more, or no one knows them: no account is theirs. */
  readonly isGone: boolean
  readonly role: Role | null
}

const GONE = { email: null, isGone: true, role: null } as const
/** What accounts that are gone are called. */
const FORMER = 'Former member'
/** What begins the keys of those whom an export names without an id: no id begins so. */
const BESIDE = '~'
/** Those whom no one knows and who have no number share so many people, so that two in a thread are rarely one. */
const UNNUMBERED = 1000

/**
 * Who wrote something, as the run keeps them.
 * @param people of the export
 * @param place of the post in its file
 * @returns null: the export doesn't have the person
 */
export function namedBy(
  author: Author,
  people: ReadonlyMap<string, Line<'people'>>,
  { writtenAt, place }: { readonly writtenAt: Date; readonly place: number },
): Named | null {
  if ('former' in author) {
    const name = isReserved(author.former) ? FORMER : importedName(author.former, '')
    const key = `${BESIDE}former ${hashOf(author.former)}`
    return { key, name, joinedAt: writtenAt, ...GONE }
  }
  if (!('person' in author)) {
    const key = `${BESIDE}nobody ${author.number ?? `unnumbered ${place % UNNUMBERED}`}`
    return { key, name: FORMER, joinedAt: writtenAt, ...GONE }
  }
  const person = people.get(author.person)
  if (person === undefined) return null
  const joinedAt = person.joined_at === null ? writtenAt : new Date(person.joined_at)
  return {
    ...{ key: author.person, name: importedName(person.name, author.person), joinedAt },
    ...{ email: addressOf(person), isGone: false, role: person.role },
  }
}

const address = reader({ email: email() })

/** In the form that addresses of accounts have. */
function addressOf({ email }: Line<'people'>): string | null {
  const read = email === null ? null : address.readAtOnce({ email })
  return read?.ok === true ? read.values.email : null
}

/** Somebody of the staff who isn't known any more. */
export const someone = (at: Date): Named => ({
  ...{ key: `${BESIDE}nobody staff`, name: FORMER, joinedAt: at, ...GONE },
})

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** What becomes of the key of someone whose account closes or whose name is removed: forget_imported of db/schema/functions/people.sql. */
const namelessKey = (key: string) => `${BESIDE}nameless ${hashOf(key)}`

/**
 * The people of these, those of earlier imports too. New ones have no account, and are out of sight as those who left until the run is
 * shown.
 * @returns key → the person's id
 */
export async function peopleOf(
  write: Write,
  run: ImportRun,
  named: readonly Named[],
): Promise<Map<string, number>> {
  const byKey = new Map(named.map((one) => [one.key, one]))
  if (byKey.size === 0) return new Map()
  if (run.copiedFrom !== null && named.some(hasAccount)) return withAccounts(write, run, named)
  const place = { course_id: run.courseId, source: run.source, origin: run.origin }
  const known = await write
    .selectFrom('imported_people')
    .select(['external_id', 'person_id'])
    .where('course_id', '=', place.course_id)
    .where('source', '=', place.source)
    .where('origin', '=', place.origin)
    .where(
      'external_id',
      'in',
      [...byKey.keys()].flatMap((key) => [key, namelessKey(key)]),
    )
    .execute()
  const ids = new Map(known.map(({ external_id, person_id }) => [external_id, person_id]))
  const people = new Map(
    [...byKey.keys()].flatMap((key) => {
      const id = ids.get(key) ?? ids.get(namelessKey(key))
      return id === undefined ? [] : [[key, id] as const]
    }),
  )
  const missing = [...byKey.values()].filter(({ key }) => !people.has(key))
  const newIds = await takeIds(write, 'people', missing.length)
  const made = missing.flatMap((one, index) => {
    const id = newIds[index]
    return id === undefined ? [] : [{ ...one, id }]
  })
  const now = new Date()
  await insertRows(
    write,
    'people',
    made.map(({ id, name, joinedAt, isGone }) => ({
      ...{ id, display_name: name, joined_at: joinedAt, left_at: now },
      is_unclaimed: !isGone,
    })),
  )
  await insertRows(
    write,
    'imported_people',
    made.map(({ id, key, isGone, role }) => ({
      ...place,
      external_id: key,
      person_id: id,
      run_id: run.id,
      is_gone: isGone,
      role,
    })),
  )
  await insertRows(
    write,
    'imported_addresses',
    made.flatMap(({ id, email }) => (email === null ? [] : [{ person_id: id, email }])),
  )
  for (const { key, id } of made) people.set(key, id)
  run.tally.imported('people', made.filter(({ isGone }) => !isGone).length)
  return people
}

/** Who wrote what a copy has: the same accounts. One that is gone by now is no one. */
async function withAccounts(write: Write, run: ImportRun, named: readonly Named[]) {
  const ids = named.filter(hasAccount).map(({ key }) => Number(key))
  const found = await write.selectFrom('people').select('id').where('id', 'in', ids).execute()
  const accounts = new Map(found.map(({ id }) => [String(id), id]))
  const others = named.filter(({ key }) => !accounts.has(key))
  const gone = { name: FORMER, isGone: true }
  const beside = (one: Named) =>
    hasAccount(one) ? { ...one, ...gone, key: `${BESIDE}gone ${one.key}` } : one
  const people = await peopleOf(write, run, others.map(beside))
  for (const one of others) accounts.set(one.key, people.get(beside(one).key) ?? 0)
  return accounts
}

const hasAccount = ({ key }: Named) => !key.startsWith(BESIDE)
