import { CommandError } from './run.ts'

/**
 * Whether the operator typed the name of what a command deletes for good. Without a name the command only says what would go.
 * @param what what goes with it
 * @throws CommandError when another name was typed
 */
export function isTyped(name: string, typed: string | undefined, what: string): boolean {
  if (typed === name) return true
  if (typed !== undefined)
    throw new CommandError(`--name is "${typed}", but its name is "${name}": nothing was changed`)
  console.log(
    [
      `would delete for good: ${what}`,
      'nothing was changed. This can’t be undone; earlier backups still contain it',
      `to delete it, add --name '${name}'`,
    ].join('\n'),
  )
  return false
}
