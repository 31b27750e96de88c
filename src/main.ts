import { chmodSync, rmSync, statSync } from 'node:fs'
import module from 'node:module'
import { join, resolve } from 'node:path'

const NEEDED_NODE = 24
const found = process.versions.node
// npm start uses the Node that npm ci installed; another one would stumble over something that it doesn't know.
if (Number.parseInt(found, 10) < NEEDED_NODE) {
  const ways = `start it with npm start, which uses the Node that npm ci installed, or install Node ${NEEDED_NODE}`
  console.error(`handup: this is Node ${found}, and Handup needs ${NEEDED_NODE} or later: ${ways}`)
  process.exit(1)
}

// Whatever the account's umask is, nobody else may write to what the forum makes.
process.umask(process.umask(0o022) | 0o022)
const folder = resolve(process.env.DATA_DIR || '.data')
const compiled = join(folder, 'compiled')
// Made by an earlier version with such a umask: others may have changed the code in it.
try {
  if (isOpenToAll(compiled)) rmSync(compiled, { recursive: true, force: true })
  if (isOpenToAll(folder)) chmodSync(folder, statSync(folder).mode & 0o775)
} catch (error) {
  // On a read-only disk nobody else writes either; the forum says so as it starts.
  if (!(error instanceof Error && 'code' in error && error.code === 'EROFS')) throw error
}

// The next start takes half the time, and 20 MB less. What is imported before this line is compiled each time.
module.enableCompileCache(compiled)
const { runForum } = await import('./operating/start/forum.ts')
await runForum()

/** Whether everybody may write to a folder of ours. */
function isOpenToAll(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && (stats.mode & 0o002) !== 0 && stats.uid === process.getuid?.()
}
