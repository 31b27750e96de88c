// The forum's start. Its compiled code is kept in DATA_DIR: the next start takes half the time, and 20 MB less. This file
// is no TypeScript, as taking the types out of it would load what that spares.
import { chmodSync, rmSync, statSync } from 'node:fs'
import module from 'node:module'
import { join, resolve } from 'node:path'
import { env, exit, umask, versions } from 'node:process'

const NEEDED = 24
// Where it was started without npm: a Node that is too old would stumble over the first line of TypeScript.
if (Number.parseInt(versions.node, 10) < NEEDED) {
  const ways = `start it with npm start, which uses the Node that npm ci installed, or install Node ${NEEDED}`
  console.error(`handup: this is Node ${versions.node}, and Handup needs ${NEEDED} or later: ${ways}`)
  exit(1)
}

// Whatever the account's umask is, nobody else may write to what the forum makes.
umask(umask(0o022) | 0o022)
const folder = resolve(env.DATA_DIR || '.data')
const compiled = join(folder, 'compiled')
// Made by an earlier version with such a umask: others may have changed the code in it.
try {
  if (isOthers(compiled)) rmSync(compiled, { recursive: true, force: true })
  if (isOthers(folder)) chmodSync(folder, statSync(folder).mode & 0o775)
} catch (error) {
  // On a read-only disk nobody else writes either; main.ts says so.
  if (!(error instanceof Error && 'code' in error && error.code === 'EROFS')) throw error
}

module.enableCompileCache(compiled)
await import('./main.ts')

/**
 * Whether everybody may write to a folder of ours.
 * @param {string} path
 */
function isOthers(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.mode & 0o002) !== 0 && found.uid === process.getuid?.()
}
