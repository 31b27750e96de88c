/** 'problem': something does not work. 'warning': it does, and one day will not, or not for everybody. */
export type State = 'ok' | 'warning' | 'problem'

/** What one look at an installation found. */
export interface Finding {
  /** What was looked at, in a word or two. */
  readonly check: string
  readonly state: State
  /** What there is. */
  readonly says: string
  /** What to do; with warnings and problems. */
  readonly advice: string | null
}

export const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says, advice: null })

export const warning = (check: string, says: string, advice: string): Finding => ({
  check,
  state: 'warning',
  says,
  advice,
})

export const problem = (check: string, says: string, advice: string): Finding => ({
  check,
  state: 'problem',
  says,
  advice,
})
