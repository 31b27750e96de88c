import { CommandError } from './run.ts'

/**
 * Whether the operator typed the name of what a command deletes for good. Without a name the command only says what would go.
 * @param what what goes with it
 * @throws CommandError when another name was typed
 */
export function isTyped(name: string, typed: string | undefined, what: string): boolean {
  if (typed === name) return true
  if (typed !== undefined)
    throw new CommandError(`--name is "${typed}", and it is called "${name}": nothing was changed`)
  console.log(
    [
      `would delete for good: ${what}`,
      'nothing was changed. There is no way back but a backup; earlier backups keep it',
      `to do it, type the name: --name '${name}'`,
    ].join('\n'),
  )
  return false
}
