import { type RawBuilder, sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { text } from '../../kernel/fields.ts'
import { blockedDomain, blockedEmail, domainFinder, emailFinder } from '../../text/blocked-addresses.ts'
import { lengthOf } from '../../text/characters.ts'
import { proseText } from '../../text/plain.ts'
import { foldBlocked, lettersOf, wordFinder } from '../../text/words/blocked-words.ts'

export type List = Row<'blocklist_entries'>['list']

/** As the constraint blocklist_entries_list_known has them. */
export const LISTS = ['words', 'links', 'emails'] as const satisfies List[]

/** Of a list; characters as the constraint blocklist_entries_entry_length has them. */
export const ENTRIES = { most: 500, max: 64 } as const
const FEWEST_LETTERS = 2
/** Characters of a field: its entries may be pasted addresses, which are shortened. */
const MOST_TYPED = 60_000

/** How an entry is kept, of a line as it was typed; null: it is none of such a list. */
const ENTRY_OF: Readonly<Record<List, (typed: string) => string | null>> = {
  words: (typed) => (lettersOf(typed) < FEWEST_LETTERS ? null : typed.replace(/\s+/gu, ' ')),
  links: blockedDomain,
  emails: blockedEmail,
}

/** What entries of the same list that mean the same have in common. */
const keyOf = (list: List, entry: string) => (list === 'words' ? foldBlocked(entry) : entry)

/** The forms of its letters can take more than it has itself. */
const isLong = (list: List, entry: string) =>
  Math.max(lengthOf(entry), lengthOf(keyOf(list, entry))) > ENTRIES.max

/** A list as it is typed, one entry a line: what is empty or doubled is left out. */
export const listField = (list: List) =>
  text({ min: 0, max: MOST_TYPED }).transform((typed, context) => {
    const wrong = (key: string, params: Readonly<Record<string, unknown>>) =>
      context.addIssue({ code: 'custom', message: `blocklist.${key}`, params })
    const entries = new Map<string, string>()
    for (const [at, line] of typed.split('\n').entries()) {
      const said = line.trim()
      if (said === '') continue
      const entry = ENTRY_OF[list](said)
      if (entry === null) wrong(`${list}.wrong`, { line: at + 1, min: FEWEST_LETTERS })
      else if (isLong(list, entry)) wrong('long', { line: at + 1, max: ENTRIES.max })
      else if (!entries.has(keyOf(list, entry))) entries.set(keyOf(list, entry), entry)
    }
    if (entries.size > ENTRIES.most) wrong('many', { count: entries.size, max: ENTRIES.most })
    return [...entries.values()]
  })

export type Lists = Readonly<Record<List, readonly string[]>>

/** The lists of a course, or (null) of the forum, each in the order of its entries. Uses index blocklist_entries_key. */
export async function findBlocklists(db: Database | Write, courseId: number | null) {
  const rows = await selectEntries(db, courseId).orderBy('entry').execute()
  return { ...listsOf(rows), newest: rows.reduce((newest, { id }) => Math.max(newest, id), 0) }
}

const selectEntries = (db: Database | Write, courseId: number | null) =>
  db
    .selectFrom('blocklist_entries')
    .select(['id', 'list', 'entry'])
    .where('course_id', courseId === null ? 'is' : '=', courseId)

function listsOf(rows: readonly { readonly list: List; readonly entry: string }[]): Lists {
  const of = (list: List) => rows.filter((row) => row.list === list).map(({ entry }) => entry)
  return { words: of('words'), links: of('links'), emails: of('emails') }
}

/**
 * Adds entries to a list of a course, or (null) of the forum: those that it has, that aren't of its kind and that it has no room for are
 * left out. @returns the ids of what was added
 */
export async function addBlocked(
  write: Write,
  courseId: number | null,
  list: List,
  entries: readonly string[],
): Promise<readonly number[]> {
  await lockBlocklists(write, courseId)
  const present = listsOf(await selectEntries(write, courseId).execute())[list]
  const keys = new Set(present.map((entry) => keyOf(list, entry)))
  const added: string[] = []
  for (const typed of entries) {
    const entry = ENTRY_OF[list](typed.trim())
    if (entry === null || isLong(list, entry)) continue
    const key = keyOf(list, entry)
    if (keys.has(key) || keys.size >= ENTRIES.most) continue
    keys.add(key)
    added.push(entry)
  }
  if (added.length === 0) return []
  const rows = await write
    .insertInto('blocklist_entries')
    .values(added.map((entry) => ({ course_id: courseId, list, entry })))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Takes entries off the lists that they are on. @returns how many were there */
export async function removeBlocked(write: Write, ids: readonly number[]): Promise<number> {
  const gone = await sql`delete from blocklist_entries where id = any(${ids}::bigint[])`.execute(write)
  return Number(gone.numAffectedRows ?? 0)
}

/**
 * Makes the lists of a course, or (null) of the forum, what was typed. Entries that came after `newest`, which who typed didn't see, stay:
 * as new ones where they were typed as well, so that whoever added them takes back none that others wanted, too.
 * @param newest null: all were seen
 * @returns how many entries came and went, and the lists that have no room for what stays
 */
export async function replaceBlocklists(
  write: Write,
  courseId: number | null,
  typed: Lists,
  newest: number | null,
) {
  await lockBlocklists(write, courseId)
  const present = await selectEntries(write, courseId).execute()
  const isSeen = ({ id }: { readonly id: number }) => newest === null || id <= newest
  const gone = present.filter((row) => isSeen(row) !== typed[row.list].includes(row.entry))
  await removeBlocked(
    write,
    gone.map(({ id }) => id),
  )
  let added = 0
  const full: List[] = []
  for (const list of LISTS) {
    const unseen = present.filter((row) => row.list === list && !isSeen(row)).map(({ entry }) => entry)
    if (new Set([...typed[list], ...unseen]).size > ENTRIES.most) full.push(list)
    added += (await addBlocked(write, courseId, list, typed[list])).length
  }
  return { added, removed: gone.length, full }
}

/** No other transaction changes them until this one ends. */
export async function lockBlocklists(write: Write, courseId: number | null): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('blocklists'), ${courseId ?? 0}::integer)`.execute(write)
}

/** Whether a course has lists of its own: what is written in one without any costs no further statement. */
export const hasBlocklist = (courseId: RawBuilder<unknown>) =>
  sql<boolean>`exists (select from blocklist_entries as entry where entry.course_id = ${courseId})`

/** A post as lists are compared with it. */
export interface BlockedText {
  readonly title?: string
  readonly tags?: readonly string[]
  readonly html: string
  /** That it links to. */
  readonly hosts: readonly string[]
}

/** Makes a test whether a text has a word or a link of some lists: which one. Words of code don't count. */
export function textFinder({ words, links }: Lists) {
  const [hasWord, isBlockedHost] = [wordFinder(words), domainFinder(links)]
  return ({ title = '', tags = [], html, hosts }: BlockedText): 'words' | 'links' | null => {
    if (links.length > 0 && hosts.some(isBlockedHost)) return 'links'
    if (words.length === 0) return null
    return hasWord([title, ...tags, proseText(html)].join('\n')) ? 'words' : null
  }
}

/**
 * What a stranger's post is held for by the lists of its course, and of the forum where that looks at strangers' posts with care; null:
 * nothing. Which entry it was isn't told.
 */
export async function blockedFor(
  write: Write,
  { courseId, isCareful, email }: { courseId: number; isCareful: boolean; email: string | null },
  post: BlockedText,
): Promise<'words' | 'links' | 'address' | null> {
  const rows = await write
    .selectFrom('blocklist_entries')
    .select(['list', 'entry'])
    .where((where) =>
      where.or([where('course_id', '=', courseId), ...(isCareful ? [where('course_id', 'is', null)] : [])]),
    )
    .execute()
  if (rows.length === 0) return null
  const lists = listsOf(rows)
  return textFinder(lists)(post) ?? (email !== null && emailFinder(lists.emails)(email) ? 'address' : null)
}
