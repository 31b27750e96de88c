import type { CommandEnd } from '../../testing/command.ts'
import { runHandup } from './program.ts'

/**
 * Runs `handup …` in this process, which is ten times faster than one of its own. One at a time: it changes the
 * environment, and receives everything that is printed meanwhile.
 */
export async function handupHere(
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<CommandEnd> {
  const before = { environment: process.env, exitCode: process.exitCode }
  const printed: string[] = []
  const streams = [process.stdout, process.stderr]
  const writes = streams.map((stream) => stream.write)
  process.env = { ...process.env, ...environment }
  process.exitCode = 0
  for (const stream of streams) stream.write = (text: string | Uint8Array) => printed.push(String(text)) > 0
  try {
    await runHandup(args)
    return { code: Number(process.exitCode), output: printed.join('') }
  } finally {
    for (const [index, stream] of streams.entries()) stream.write = writes[index] ?? stream.write
    process.env = before.environment
    process.exitCode = before.exitCode
  }
}
