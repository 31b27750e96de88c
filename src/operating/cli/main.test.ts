import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../../testing/command.ts'

test('the commands still run by the path that 0.3.0 named', async () => {
  const { code, output } = await runCommand(process.execPath, [
    join(import.meta.dirname, 'main.ts'),
    '--help',
  ])
  assert.equal(code, 0, output)
  assert.match(output, /Usage: handup /)
})
