/** Case and topic particles of nouns, and forms of the copula. */
export const PARTICLES =
  '에서는 으로는 이라는 에서도 까지는 인가요 입니다 이에요 이라고 이었어요 이었는데 에서 으로 에게 한테 까지 부터 처럼 보다 이나 이란 라는 라고 하고 에는 에도 와의 과의 이랑 마다 밖에 예요 인데 인지 은 는 이 가 을 를 의 에 로 와 과 도 만 나 랑 란'
/** Forms of 하다 and 되다, which make verbs of nouns, and endings of two syllables and more. */
const VERBAL =
  '하였습니다 했습니다 합니다 하려면 하나요 했어요 했는데 하는데 하려고 하는 하면 하고 하기 하지 해서 해요 했다 한다 하다 할까 할때 할 한 함 해 되었습니다 됐습니다 됩니다 되려면 되나요 됐어요 됐는데 되는데 되는 되면 되고 되기 되지 돼서 돼요 됐다 된다 되다 될까 된 될 됨 돼 시키려면 시키는 습니다 습니까 었는데 았는데 네요 어요 아요 까요 나요 군요 거든 지만 는데 은데 니까 으면 면서 어서 아서 었어 았어 였어 겠다 겠어 겠지 었다 았다'
/** Endings of one syllable, which nouns end with as well (이미지, 언어). */
const SHORT = '야 어 아 지 네 다 고 게 니 냐 자 요'

const listOf = (...lists: readonly string[]) =>
  [...new Set(lists.flatMap((list) => list.split(' ')))].sort((one, other) => other.length - one.length)
const SUFFIXES = listOf(PARTICLES, VERBAL)
const ENDINGS = listOf(PARTICLES, VERBAL, SHORT)

/** A run of Hangul without its particle or verbal ending, if two syllables remain: `번역을` means `번역`, `만료된` means `만료`. */
export function withoutSuffix(run: string): string {
  return without(run, SUFFIXES, 2)
}

/** A run of Hangul without what may be an ending, if a syllable remains. */
export function withoutEnding(run: string): string {
  return without(run, ENDINGS, 1)
}

function without(run: string, suffixes: readonly string[], left: number): string {
  const suffix = suffixes.find((one) => run.length >= one.length + left && run.endsWith(one))
  return suffix === undefined ? run : run.slice(0, -suffix.length)
}

const ENDING_PAIRS = new Set(
  VERBAL.split(' ').flatMap((ending) =>
    Array.from(ending.slice(1), (letter, at) => `${ending[at]}${letter}`),
  ),
)

/** Whether two syllables in a row are those of verbal endings: 습니, 니다, 어요. They tell nothing alone. */
export function isOfEnding(pair: string): boolean {
  return ENDING_PAIRS.has(pair)
}

/** Words of asking and of failing, which questions about anything have. */
const ASKING = new Set(
  '어떻게 무엇 무엇을 뭐가 뭘 왜 어디 어디를 어디서 언제 하나요 되나요 있나요 없나요 인가요 건가요 할까요 될까요 해야 하는지 있습니다 합니다 입니다 안 못 수 것 때 때문에 안되요 안돼요 안됩니다 안됨 안돼 안되나요 안되네요 안되는데 되요 돼요 됩니다 않습니다 않아요 않나요 않는 싶습니다 싶어요 싶은데 주세요 좀 하려면 하는 되는 나와요 나옵니다 납니다 나요'.split(
    ' ',
  ),
)
const SUFFIX_SET = new Set(SUFFIXES)

/** Whether a run of Hangul is irrelevant for a search: a word of asking, or a suffix alone, as `JSON으로` leaves 으로. */
export function isAsking(run: string): boolean {
  return ASKING.has(run) || SUFFIX_SET.has(run)
}

/** Forms of not being or doing, polite and casual: `안돼요`, `않습니다`, `못합니다`. */
const FAILING = /^(?:안(?:되|돼|됩|됨|된|될|해|하|합|함|먹|나)|않|못(?:하|해|합|함))/u

/** Whether a word says that something isn't so or doesn't happen. */
export function isFailing(word: string): boolean {
  return FAILING.test(word)
}

/** Words and beginnings of words that deny something. */
const ENGLISH = /^(?:not?|never|none|without|cannot|\w+n['’]?t)$/iu
const KOREAN = /^(?:안|못)$|않|없|아니|아닌|말고|^(?:안|못)(?:되|돼|됨|됩|된|됐|하|해|함|합|한|했)/u

/** Whether a word denies something. A correction that adds or drops this would say the opposite. */
export function denies(word: string): boolean {
  return ENGLISH.test(word) || KOREAN.test(word)
}
