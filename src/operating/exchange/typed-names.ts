import { BEFORE } from '../../text/markdown/mentions.ts'

const WORD = String.raw`[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{0,48}[\p{L}\p{N}_])?`
/** `@Name` as somebody typed it: in posts that were imported, mentions are no more than that. */
const TYPED = new RegExp(
  String.raw`(?<=^|${BEFORE.source})\\?@(?!someone|staff\b|강사진|운영진)${WORD}(?: ${WORD}){0,3}`,
  'gmu',
)
/** Particles and titles that Korean writes after a name, in characters. */
const MAX_PARTICLE = 3
const SOMEONE = '@someone'

/** Names, as people type them behind `@`: whole, without spaces, or the first word. */
export function typedNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(
    names.flatMap((name) => {
      const folded = name.normalize('NFC').toLowerCase()
      return [folded, folded.replaceAll(' ', ''), folded.split(' ')[0] ?? folded]
    }),
  )
}

/**
 * A text without the names of people that somebody typed as mentions.
 * @param names from typedNames
 * @param hidesAll whether what is none of these names goes as well: a name of elsewhere that no one here has
 */
export function withoutTypedNames(prose: string, names: ReadonlySet<string>, hidesAll: boolean): string {
  return prose.replace(TYPED, (written) => {
    const typed = written.slice(written.indexOf('@') + 1)
    const words = typed.split(' ')
    for (let count = words.length; count > 0; count -= 1) {
      const name = words.slice(0, count).join(' ')
      if (isNamed(name.normalize('NFC').toLowerCase(), names)) return SOMEONE + typed.slice(name.length)
    }
    return hidesAll ? SOMEONE + typed.slice(words[0]?.length) : written
  })
}

function isNamed(name: string, names: ReadonlySet<string>): boolean {
  if (names.has(name)) return true
  const characters = Array.from(name)
  if (!/[\uac00-\ud7a3]$/.test(name)) return false
  for (let cut = 1; cut <= MAX_PARTICLE && characters.length - cut > 1; cut += 1)
    if (names.has(characters.slice(0, -cut).join(''))) return true
  return false
}
