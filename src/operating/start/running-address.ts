import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'

/** A file in DATA_DIR with the public URL of the running forum, for commands started beside it. */
const FILE = 'address'

/**
 * Writes the forum's public URL to the file. If DATA_DIR is not writable (an external database needs none),
 * commands use their own environment.
 * @returns a function that removes the file, unless another forum has overwritten it since
 */
export async function publishAddress({ dataDir, baseUrl }: Config): Promise<() => Promise<void>> {
  const file = join(dataDir, FILE)
  try {
    await mkdir(dataDir, { recursive: true })
    await writeFile(file, `${baseUrl}\n`)
  } catch {
    return async () => undefined
  }
  return async () => {
    if ((await readAddress(dataDir)) === baseUrl) await rm(file, { force: true })
  }
}

/**
 * The configuration of a command: its links use the URL of the forum running on the same DATA_DIR, which may
 * have another PORT. BASE_URL takes precedence.
 */
export async function withRunningAddress(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Config> {
  if (environment.BASE_URL) return config
  return { ...config, baseUrl: (await readAddress(config.dataDir)) ?? config.baseUrl }
}

/** @returns null when there is no file, or it holds no URL */
async function readAddress(dataDir: string): Promise<string | null> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => '')
  const address = text.trim()
  return URL.canParse(address) ? address : null
}
