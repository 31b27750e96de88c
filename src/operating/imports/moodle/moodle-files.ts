import { readFile } from 'node:fs/promises'
import { UPLOADS } from '../../../kernel/limits.ts'
import type { ExchangeWriter } from '../../exchange/folder-writer.ts'
import type { ImportTally } from '../../exchange/import-tally.ts'
import type { SourceFile } from '../source-files.ts'
import { elementsOf } from '../xml-elements.ts'
import type { Activity, Backup } from './moodle-backup.ts'

const PICTURES = /^image\/(?:png|jpe?g|gif|webp|avif)$/

interface KeptFile {
  readonly name: string
  readonly hash: string
  readonly isPicture: boolean
  readonly isAttached: boolean
}

/** The files of posts, which a backup keeps by the hashes of their content. */
export class MoodleFiles {
  readonly #backup: Backup
  readonly #byPost = new Map<string, KeptFile[]>()
  readonly #written = new Set<string>()
  readonly #wanted = new Map<string, SourceFile>()

  constructor(backup: Backup) {
    this.#backup = backup
  }

  async read(): Promise<void> {
    const file = this.#backup.fileNamed('files.xml')
    if (file === null) return
    for await (const element of elementsOf(file, 'files', new Set(['file']))) {
      const [, kind] = /^mod_(forum|moodleoverflow)$/.exec(element.text('component') ?? '') ?? []
      const [area, hash] = [element.text('filearea'), element.text('contenthash') ?? '']
      const name = `${element.text('filepath') ?? '/'}${element.text('filename') ?? ''}`.replace(/^\//, '')
      const isFile = name !== '' && !name.endsWith('.') && /^[0-9a-f]{40}$/.test(hash)
      if (kind === undefined || (area !== 'post' && area !== 'attachment') || !isFile) continue
      const key = `${kind} ${element.number('itemid') ?? 0}`
      const isPicture = PICTURES.test(element.text('mimetype') ?? '')
      const known = this.#byPost.get(key) ?? []
      this.#byPost.set(key, known)
      known.push({ name: name.normalize('NFC'), hash, isPicture, isAttached: area === 'attachment' })
    }
  }

  /** What was attached to a post. */
  attachedTo(kind: Activity['kind'], post: string): { pictures: readonly string[]; others: number } {
    const attached = (this.#byPost.get(`${kind} ${post}`) ?? []).filter(({ isAttached }) => isAttached)
    const pictures = attached.filter(({ isPicture }) => isPicture).map(({ name }) => name)
    return { pictures, others: attached.length - pictures.length }
  }

  /** The id, in the export, of a picture that a post shows; null: it is none, or it is not there. */
  picture(kind: Activity['kind'], post: string, name: string): string | null {
    const file = this.#byPost.get(`${kind} ${post}`)?.find((one) => one.name === name.normalize('NFC'))
    if (file?.isPicture !== true) return null
    const { hash } = file
    const blob = this.#backup.fileNamed(`files/${hash.slice(0, 2)}/${hash}`)
    if (blob === null || blob.size > UPLOADS.fileBytes) return null
    if (!this.#written.has(hash)) this.#wanted.set(hash, blob)
    return hash
  }

  /** Writes the pictures that were asked for. */
  async write(writer: ExchangeWriter, tally: ImportTally): Promise<void> {
    for (const [hash, file] of this.#wanted) {
      const path = `files/${hash}`
      await writer.blob(path, await readFile(file.path))
      await writer.lines('files', [{ id: hash, kept: 'blob', path }])
      this.#written.add(hash)
      tally.note('pictures that come along')
    }
    this.#wanted.clear()
  }
}
