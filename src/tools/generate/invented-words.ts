import { NOUNS, VERBS } from './english-words.ts'
import { Random } from './random.ts'

/**
 * Identifiers, paths, errors and names, each derived from its rank alone: rank 0 is the same word in every forum and
 * language. So a few are everywhere, and most are rare.
 */

const nouns = NOUNS.trim().split(/\s+/)
const verbs = VERBS.trim().split(/\s+/)
const SUFFIXES =
  'Service Repository Controller Mapper Factory Handler Request Response Dto Entity Config Client Test Impl'.split(
    ' ',
  )
const EXCEPTIONS = 'Exception Error NotFoundException NotAllowedException TimeoutException'.split(' ')
const SYLLABLES =
  'ka lo mi ren ta vel sho nu bri qua zen dor pli fax mon tri gal hu wen jo xi rad bel cor fen lum nex oro pyx sil'.split(
    ' ',
  )

/** Identifiers are built from the frequent part of the list only, so that their parts are common words. */
const noun = (random: Random) => nouns[random.below(120)] ?? ''
const verb = (random: Random) => verbs[random.below(60)] ?? ''
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** `OrderService`, `orderItemId`, `order_item`, `List<Order>`, `@OrderItem`, `order.findItem()`, `ORDER_LIMIT_42`. */
export function codeWord(rank: number): string {
  const random = new Random(rank, 1)
  const [one, two] = [noun(random), noun(random)]
  const make = random.pick([
    () => capital(one) + random.pick(SUFFIXES),
    () => capital(one) + capital(two) + random.pick(SUFFIXES),
    () => `${one}${capital(two)}Id`,
    () => `${one}_${two}`,
    () => `List<${capital(one)}${capital(two)}>`,
    () => `@${capital(one)}${capital(two)}`,
    () => `${one}.${verb(random)}${capital(two)}()`,
    () => `${one.toUpperCase()}_${two.toUpperCase()}_${random.below(100)}`,
    () => `Map<String, ${capital(one)}${random.pick(SUFFIXES)}>`,
  ])
  return make()
}

/** `GET /orders/{id}/items`. */
export function pathWord(rank: number): string {
  const random = new Random(rank, 2)
  const method = random.pick(['GET', 'GET', 'POST', 'PUT', 'DELETE', 'PATCH'])
  const path = `/${noun(random)}s/{id}/${noun(random)}`
  return `${method} ${random.chance(0.4) ? path.slice(0, path.indexOf('/', 1)) : path}`
}

/** `OrderNotFoundException`, `ERR-4711`, `404`. */
export function errorWord(rank: number): string {
  const random = new Random(rank, 3)
  if (random.chance(0.1)) return `${400 + random.below(130)}`
  if (random.chance(0.1)) return `ERR-${random.below(20_000)}`
  return capital(noun(random)) + (random.chance(0.5) ? capital(noun(random)) : '') + random.pick(EXCEPTIONS)
}

/** The name of a project: `Kalovel`. */
export function inventedWord(rank: number): string {
  const random = new Random(rank, 4)
  const length = 2 + random.below(3)
  return capital(Array.from({ length }, () => random.pick(SYLLABLES)).join(''))
}
