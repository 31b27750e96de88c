/** A name or an address in Latin letters shorter than this is no name in a text. */
const SHORTEST = 2
const SIGNATURE_LINES = 3
const SIGNATURE_WORDS = 4
const LATIN = /^[\p{Script=Latin}\p{M}'’.-]+$/u
/** Names that are written without a space, family name first. */
const UNSPACED = /^[\p{Script=Hangul}\p{Script=Han}]{3,4}$/u

/**
 * Whether a text says who wrote it: an address of theirs, a name of theirs, or a word of one, as a signature
 * has it. Words in Latin letters count only as the name writes them: "Will" is in the name, "will" in the
 * sentence.
 * @param names the display name, and the name of the mail's sender
 */
export function tellsAuthor(text: string, names: readonly string[], addresses: readonly string[]): boolean {
  const flat = text.normalize('NFKC')
  const lower = flat.toLowerCase()
  if (addresses.some((address) => address !== '' && lower.includes(address.toLowerCase()))) return true
  const signed = signatureOf(lower)
  const oneLine = lower.replace(/\s+/gu, ' ')
  return names.some((name) => {
    const whole = name.normalize('NFKC').trim().replace(/\s+/gu, ' ')
    return (
      (whole.includes(' ') && oneLine.includes(whole.toLowerCase())) ||
      partsOf(whole).some((part) => hasWord(flat, part) || hasWord(signed, part.toLowerCase()))
    )
  })
}

/** What a signature without its sign would be: short lines at the end. */
function signatureOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines
    .slice(-SIGNATURE_LINES)
    .filter((line) => line.trim().split(/\s+/u).length <= SIGNATURE_WORDS)
    .join('\n')
}

/** Its words; of a Korean, Chinese or Japanese one also the given name. */
function partsOf(name: string): string[] {
  const words = name.split(' ').filter((word) => [...word].length >= SHORTEST && !/^\p{L}\.$/u.test(word))
  return words.flatMap((word) => (UNSPACED.test(word) ? [word, [...word].slice(1).join('')] : [word]))
}

/** Latin words end where no letter follows; in other scripts endings follow without a space. */
function hasWord(text: string, word: string): boolean {
  if (!LATIN.test(word)) return text.toLowerCase().includes(word.toLowerCase())
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = [text.charAt(at - 1), text.charAt(at + word.length)]
    if (!around.some((letter) => /[\p{Script=Latin}\p{N}]/u.test(letter))) return true
  }
  return false
}
