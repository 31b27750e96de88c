// The forum's start. Its compiled code is kept in DATA_DIR: the next start takes half the time, and 20 MB less. This file
// is no TypeScript, as taking the types out of it would load what that spares.
import { chmodSync, rmSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { env, umask } from 'node:process'

// Whatever the account's umask is, nobody else may write to what the forum makes.
umask(umask(0o022) | 0o022)
const folder = resolve(env.DATA_DIR || '.data')
const compiled = join(folder, 'compiled')
// Made by an earlier version with such a umask: others may have changed the code in it.
if (isOthers(compiled)) rmSync(compiled, { recursive: true, force: true })
if (isOthers(folder)) chmodSync(folder, statSync(folder).mode & 0o775)

enableCompileCache(compiled)
await import('./main.ts')

/**
 * Whether everybody may write to a folder of ours.
 * @param {string} path
 */
function isOthers(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.mode & 0o002) !== 0 && found.uid === process.getuid?.()
}
