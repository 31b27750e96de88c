import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What folders of the work on files that come and go are for. Uploads are kept by web/multipart.ts. */
const KINDS = ['brought', 'convert', 'copy', 'dump', 'export', 'import', 'source'] as const
/** A process that is killed leaves them, with all that a course has. */
const FOLDER = new RegExp(String.raw`^handup-(?:${[...KINDS, 'upload'].join('|')})-\w{6}$`)
/** As long as uploads and exports are kept. */
const DAY_MS = 24 * 60 * 60 * 1000

/** Works in a folder of this machine, which is gone after. */
export async function inFolder<Result>(
  kind: (typeof KINDS)[number],
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), `handup-${kind}-`))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

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
