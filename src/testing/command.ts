import { spawn } from 'node:child_process'
import { spawnGroup } from './child-groups.ts'

export interface CommandOptions {
  /** Additions to this process's environment. */
  readonly environment?: Readonly<Record<string, string>>
  /** Print the output as it arrives, instead of returning it, and let endGroups() end the program. */
  readonly isShown?: boolean
}

export interface CommandEnd {
  /** null: a signal ended it, or it could not be started. */
  readonly code: number | null
  /** Both streams together, in order. */
  readonly output: string
}

/** Runs a program to completion. Never throws: a failure to start is reported in the output. */
export function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const start = options.isShown ? spawnGroup : spawn
    const child = start(program, args, {
      env: { ...process.env, ...options.environment },
      stdio: ['ignore', options.isShown ? 'inherit' : 'pipe', options.isShown ? 'inherit' : 'pipe'],
    })
    const parts: string[] = []
    child.stdout?.setEncoding('utf8').on('data', (text: string) => parts.push(text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => parts.push(text))
    child.once('error', (error) => resolve({ code: null, output: error.message }))
    child.once('close', (code) => resolve({ code, output: parts.join('') }))
  })
}
