import { fold } from './words/fold.ts'

export const TAGS = { most: 5, max: 32 } as const

/** Letters of any script with their marks, digits and + # . -. */
const TAG = /^[\p{L}\p{M}\p{N}+#.-]+$/u

/** Normalizes a tag: "Response  Entity" becomes `response-entity`. isTag decides whether it is allowed. */
export function tagNameOf(typed: string): string {
  return fold(typed.trim(), 'same').replace(/\s+/gu, '-')
}

/** Whether a name can be a tag. `.` and `..` would be lost in an address: browsers resolve them as folders. */
export function isTag(name: string): boolean {
  return TAG.test(name) && [...name].length <= TAGS.max && name !== '.' && name !== '..'
}

/** Splits a typed list of tags, with commas of any script. */
export function typedTags(typed: string): string[] {
  return typed
    .split(/[,，、]/u)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Whether normalizing renames a tag with spaces in it: its author is notified. */
export function hasSpacedTag(typed: string): boolean {
  return typedTags(typed).some((name) => /\s/u.test(name))
}

/** Tags of a row that stand beside its other facts, in lists and among what was found; the others are behind their number. */
export const SHOWN_TAGS = 2
