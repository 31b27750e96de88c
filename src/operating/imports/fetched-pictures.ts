import { createHash } from 'node:crypto'
import { UPLOADS } from '../../kernel/limits.ts'
import { GuardedClient } from '../../web/guarded-fetch.ts'
import type { ExchangeWriter } from '../exchange/folder-writer.ts'
import type { ImportTally } from '../exchange/import-tally.ts'
import { addressOf } from '../exchange/references.ts'

/** Of all of them; one is as large as an upload. */
const MAX_TOTAL_BYTES = 2 * 1024 * 1024 * 1024
const MAX_PICTURES = 20_000
const DEADLINE_MS = 15_000
const MAX_REDIRECTS = 3
/** Few, as one site often has all of them. */
const AT_ONCE = 4

/**
 * Pictures of texts that are fetched from where they are, for an export. Whoever wrote a text chose the address: it is connected to as any
 * address that somebody gave the forum, and nothing is sent along. What can't be had stays a link.
 */
export class FetchedPictures {
  readonly #client: GuardedClient
  /** Ids in the export → addresses. */
  readonly #found = new Map<string, string>()
  #bytes = 0

  constructor(client = new GuardedClient()) {
    this.#client = client
  }

  /** The address in the export of a picture; the one it has, if it can't be fetched. */
  at(url: string): string {
    if (!/^https?:/i.test(url) || !URL.canParse(url)) return url
    const address = new URL(url).href.replaceAll('(', '%28').replaceAll(')', '%29')
    const id = createHash('sha256').update(address).digest('hex').slice(0, 32)
    if (!this.#found.has(id) && this.#found.size === MAX_PICTURES) return url
    this.#found.set(id, address)
    return addressOf('file', id)
  }

  /** Fetches all of them. @param onFetched told of each */
  async write(writer: ExchangeWriter, tally: ImportTally, onFetched: () => void): Promise<void> {
    const left = this.#found.entries()
    const fetchSome = async () => {
      for (const [id, url] of left) {
        const content = await this.#fetch(url)
        const path = `files/${id}`
        if (content === null) tally.note('pictures that could not be fetched: links')
        else await writer.blob(path, content)
        await writer.lines('files', [
          { id, url, ...(content === null ? { kept: 'url' } : { kept: 'blob', path }) },
        ])
        onFetched()
      }
    }
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, fetchSome))
    } finally {
      this.#client.close()
    }
  }

  get count(): number {
    return this.#found.size
  }

  async #fetch(url: string): Promise<Buffer | null> {
    if (this.#bytes > MAX_TOTAL_BYTES) return null
    try {
      return await this.#answerOf(url, MAX_REDIRECTS)
    } catch {
      // Not public, not there, too slow, or no address where it leads on to.
      return null
    }
  }

  async #answerOf(url: string, redirects: number): Promise<Buffer | null> {
    const { status, headers, body, isWhole } = await this.#client.fetch(
      { url, method: 'GET', headers: { accept: 'image/*' } },
      { deadline: DEADLINE_MS, maxBytes: UPLOADS.fileBytes },
    )
    this.#bytes += body.length
    if (status >= 300 && status < 400 && headers.location !== undefined && redirects > 0)
      return this.#answerOf(new URL(headers.location, url).href, redirects - 1)
    return status === 200 && isWhole && /^image\//i.test(headers['content-type'] ?? '') ? body : null
  }
}
