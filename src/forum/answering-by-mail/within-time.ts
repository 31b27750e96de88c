import { Script } from 'node:vm'

const CALL = new Script('act()')

/**
 * Calls a function that must not take long: regular expressions of others on texts of strangers. All else waits meanwhile.
 * @throws Error when it takes longer, with code ERR_SCRIPT_EXECUTION_TIMEOUT; what the function throws
 */
export function withinTime<Made>(milliseconds: number, make: () => Made): Made {
  const made: Made[] = []
  CALL.runInNewContext({ act: () => void made.push(make()) }, { timeout: milliseconds })
  return made[0] as Made
}
