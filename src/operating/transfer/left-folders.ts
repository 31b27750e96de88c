import { readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Folders of the work on files that come and go (mkdtemp): a process that is killed leaves them, with all that a course has. */
const FOLDER = /^handup-(?:brought|convert|copy|dump|export|import|source|upload)-\w{6}$/
/** As long as uploads and exports are kept. */
const DAY_MS = 24 * 60 * 60 * 1000

/** Removes those of this machine in which nobody worked for a day. @returns how many */
export async function sweepFolders(): Promise<number> {
  let removed = 0
  for (const name of await readdir(tmpdir())) {
    if (!FOLDER.test(name)) continue
    const folder = join(tmpdir(), name)
    const found = await stat(folder).catch(() => null)
    if (found === null || found.mtimeMs > Date.now() - DAY_MS) continue
    // Another user's can't be removed.
    const isGone = await rm(folder, { recursive: true, force: true }).then(
      () => true,
      () => false,
    )
    if (isGone) removed += 1
  }
  return removed
}
