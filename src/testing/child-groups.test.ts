import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { processStamp } from '../database/embedded/process.ts'
import { endGroups, spawnGroup } from './child-groups.ts'
import { until } from './waiting.ts'

/** Starts a child that ignores Ctrl-C, prints its process id, and waits for ever. */
const PARENT = `
  const child = require('node:child_process').spawn(process.execPath,
    ['-e', 'process.on("SIGINT", () => {}); console.log(process.pid); setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  setInterval(() => {}, 1000)`

test('a program that is ended leaves none of its own children', async () => {
  const parent = spawnGroup(process.execPath, ['-e', PARENT], { stdio: ['ignore', 'pipe', 'inherit'] })
  assert.ok(parent.stdout !== null)
  const [line] = await once(createInterface(parent.stdout), 'line')
  const pid = Number(line)
  assert.notEqual(processStamp(pid), null)

  await endGroups()

  assert.ok(parent.signalCode !== null)
  await until('it has ended', () => processStamp(pid) === null)
})
