/** The kind of the jobs that write letters about cases: letters.ts. */
export const LETTERS_OF_CASES = 'statement'

/**
 * The kinds of letters. 'statement': the decision of a case, to the person it is about. 'receipt', 'outcome': of a report, to a
 * visitor. 'ended': a measure that staff lifted. 'answer': to an objection, by the id of its measure.
 */
export type LetterAbout = 'statement' | 'receipt' | 'outcome' | 'ended' | 'answer'

/** The key of its job. */
export const letterKey = (about: LetterAbout, id: number) => `${about}-${id}`
