/** 'problem': something does not work. 'warning': it works now, but may fail later or for some people. */
export type State = 'ok' | 'warning' | 'problem'

/** The result of one check. */
export interface Finding {
  /** The subject of the check, in a word or two. */
  readonly check: string
  readonly state: State
  /** What was found. */
  readonly says: string
  /** What to do; set for warnings and problems. */
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
