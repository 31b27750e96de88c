/**
 * Korean suffixes of nouns, longest first: case and topic particles, and forms of the copula. A query with one (`번역을`)
 * means the noun (`번역`), which other texts have with other particles.
 */
const PARTICLES = [
  '에서는',
  '으로는',
  '이라는',
  '에서도',
  '까지는',
  '인가요',
  '입니다',
  '이에요',
  '이라고',
  '하나요',
  '합니다',
  '하는',
  '에서',
  '으로',
  '에게',
  '한테',
  '까지',
  '부터',
  '처럼',
  '보다',
  '이나',
  '이란',
  '라는',
  '하고',
  '에는',
  '에도',
  '와의',
  '과의',
  '이랑',
  '마다',
  '밖에',
  '예요',
  '해요',
  '할까',
  '되는',
  '은',
  '는',
  '이',
  '가',
  '을',
  '를',
  '의',
  '에',
  '로',
  '와',
  '과',
  '도',
  '만',
  '나',
  '랑',
  '란',
]

/** A run of Hangul without its particle, if two syllables remain. */
export function withoutParticle(run: string): string {
  for (const particle of PARTICLES) {
    if (run.length >= particle.length + 2 && run.endsWith(particle)) return run.slice(0, -particle.length)
  }
  return run
}

/** Question words, and particles alone: `JSON으로` leaves 으로. */
const ASKING = new Set(
  '어떻게 무엇 무엇을 뭐가 뭘 왜 어디 어디를 어디서 언제 하나요 되나요 있나요 없나요 인가요 건가요 할까요 될까요 해야 하는지 있습니다 합니다 입니다 안 못 수 것 때 때문에'.split(
    ' ',
  ),
)

/** Whether a run of Hangul is irrelevant for a search. */
export function isAsking(run: string): boolean {
  return ASKING.has(run) || PARTICLES.includes(run)
}
