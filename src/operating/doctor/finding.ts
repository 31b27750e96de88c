import { type Message, type MessageValues, translatorOf } from '../../messages/catalogue.ts'

/** 'problem': something does not work. 'warning': it works now, but may fail later or for some people. */
type State = 'ok' | 'warning' | 'problem'

export interface Finding {
  /** The subject of the check, in a word or two. */
  readonly check: string
  readonly state: State
  readonly says: string
  /** What to do; set for warnings and problems. */
  readonly advice: string | null
}

export const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says, advice: null })

const finding = (state: State) => (check: string, says: string, advice: string) => ({
  check,
  state,
  says,
  advice,
})

export const warning = finding('warning')
export const problem = finding('problem')

/** A finding that /admin shows in its reader's language; `says` and `advice` are its English, for the command line. */
export interface WordedFinding extends Finding {
  readonly words: { readonly check: string; readonly says: Message; readonly advice: Message | null }
}

/**
 * A finding in the catalogues' words, which stand under its check and name; they have its advice too, unless
 * all is well.
 */
export function worded(state: State, check: string, name: string, values: MessageValues = {}): WordedFinding {
  const says = { key: `admin.checks.${check}.${name}`, values }
  const advice = state === 'ok' ? null : { key: `admin.checks.${check}.${name}.advice`, values }
  const english = translatorOf('en')
  return {
    check,
    state,
    says: english(says.key, values),
    advice: advice === null ? null : english(advice.key, values),
    words: { check: `admin.checks.${check}`, says, advice },
  }
}
