import { fold } from './words/fold.ts'
import { remembered } from './words/remembered.ts'

const MAX_LENGTH = 80

/** A letter or digit of any script, with the marks (accents, vowel signs) on it and after it. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu

/**
 * The readable part of a URL: lower-case letters and digits of every script, one `-` for everything between
 * them, at most 80 characters (code points). Not encoded: the caller applies encodeURIComponent.
 * @param fallback for a text without letters and digits
 */
export function slugOf(text: string, fallback = 'question'): string {
  return wordsOf(text) || fallback
}

const wordsOf = remembered((text) => {
  const visible = fold(text, 'same').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  const slug = (visible.match(WORD) ?? []).join('-')
  return Array.from(slug).slice(0, MAX_LENGTH).join('').replace(/-$/, '')
})
