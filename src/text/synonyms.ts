import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const groups = readFileSync(join(import.meta.dirname, 'synonyms.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' '))

const others = new Map(
  groups.flatMap((group) => group.map((word) => [word, group.filter((other) => other !== word)] as const)),
)

/** Words that mean the same as this one, after synonyms.txt. @param word in small letters, without particles */
export function synonymsOf(word: string): readonly string[] {
  return others.get(word) ?? []
}
