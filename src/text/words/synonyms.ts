import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The words that mean the same as one in small letters, without particles. */
export type Synonyms = (word: string) => readonly string[]

const SHIPPED = readFileSync(join(import.meta.dirname, 'synonyms.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' ').map((name) => name.replaceAll('_', ' ')))

/** Those of programming courses: synonyms.txt. */
export const synonymsOf: Synonyms = synonymsIn(SHIPPED)

const FIRST = new Map(SHIPPED.flatMap((group) => group.map((word) => [word, group[0] ?? word])))

/** The word that stands for all of its group: the first one. Without synonyms the word itself. */
export function commonWordFor(word: string): string {
  return FIRST.get(word) ?? word
}

/** Whether the list has a name, in small letters and without particles. */
export const isListed = (name: string) => FIRST.has(name)

/** What a course may add. */
const MAX_LINES = 100
const MAX_WORDS = 8
/** One word, with something in it that is searched for. */
const WORD = /^(?=.*[\p{L}\p{N}])[^\s=]{1,40}$/u

/** Groups as an instructor types them, one a line: `파드 = pod`. @returns the number of the first line that is none, from 1, if there is one */
export function readGroups(text: string): readonly (readonly string[])[] | { readonly wrongLine: number } {
  const groups: string[][] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const words = line.split('=').map((word) => word.trim().toLowerCase())
    const isGroup = words.length >= 2 && words.length <= MAX_WORDS && words.every((word) => WORD.test(word))
    if (!isGroup || groups.length === MAX_LINES) return { wrongLine: index + 1 }
    groups.push(words)
  }
  return groups
}

/** Synonyms by groups; a word may be in several. */
export function synonymsIn(groups: readonly (readonly string[])[]): Synonyms {
  const others = new Map<string, Set<string>>()
  for (const group of groups)
    for (const word of group) {
      const known = others.get(word) ?? new Set()
      for (const other of group) if (other !== word) known.add(other)
      others.set(word, known)
    }
  const lists = new Map([...others].map(([word, words]) => [word, [...words]]))
  return (word) => lists.get(word) ?? []
}

/** The words of any of these that mean the same. */
export function allOf(...all: readonly Synonyms[]): Synonyms {
  return (word) => [...new Set(all.flatMap((synonyms) => synonyms(word)))]
}
