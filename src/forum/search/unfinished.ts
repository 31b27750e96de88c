import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../rights/rights.ts'
import { findable } from './spelling.ts'

const CONSONANTS = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ']
const FIRST_SYLLABLE = 0xac00
const PER_CONSONANT = 588
/** Initial consonants of two syllables and more, and nothing else. */
const INITIALS = /^[ㄱ-ㅎ]{2,12}$/u
/** A letter that is no syllable yet. */
const UNFINISHED = /[ㄱ-ㅎㅏ-ㅣ]+$/u
const MAX_WORDS = 20

/**
 * What somebody means who is still typing Korean: without the letter that is no syllable yet (`토ㅋ`), and for initial consonants
 * the commonest word with them that the viewer may find (`ㅎㄱ` is 한글).
 */
export async function meantBy(db: Database, viewer: Actor | null, typed: string): Promise<string> {
  const text = typed.normalize('NFC').trim()
  if (INITIALS.test(text)) return (await wordWithInitials(db, viewer, text)) ?? text
  const finished = text.replace(UNFINISHED, '')
  return finished.trim() === '' ? typed : finished === text ? typed : finished
}

/** Uses index search_words_prefix for the first syllable. */
async function wordWithInitials(
  db: Database,
  viewer: Actor | null,
  initials: string,
): Promise<string | null> {
  const ranges = [...initials].map((letter) => {
    const first = FIRST_SYLLABLE + CONSONANTS.indexOf(letter) * PER_CONSONANT
    return [String.fromCodePoint(first), String.fromCodePoint(first + PER_CONSONANT - 1)] as const
  })
  const [least = '', most = ''] = ranges[0] ?? []
  const pattern = `^${ranges.map(([from, to]) => `[${from}-${to}]`).join('')}`
  const { rows } = await sql<{ word: string }>`
    select word from search_words
    where word ~>=~ ${least} and word ~<=~ ${`${most}\uffff`} and word collate "C" ~ ${pattern}
    order by questions_count desc, word limit ${MAX_WORDS}`.execute(db)
  const words = rows.map(({ word }) => word.slice(0, initials.length))
  const told = await findable(db, viewer, [...new Set(words)])
  return words.find((word) => told.has(word)) ?? null
}
