import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { UPLOADS } from '../../kernel/limits.ts'
import { addressOf } from '../exchange/references.ts'
import type { Conversion } from './source.ts'
import type { SourceFile } from './source-files.ts'

const PICTURE = /\.(?:png|jpe?g|gif|webp|avif)$/i

/** Pictures that an export has as files, by the ends of their addresses. */
export class FilePictures {
  readonly #conversion: Conversion
  readonly #files = new Map<string, SourceFile>()
  readonly #shown = new Map<string, SourceFile>()

  constructor(conversion: Conversion) {
    this.#conversion = conversion
    for (const file of conversion.files.all)
      if (PICTURE.test(file.name) && file.size <= UPLOADS.fileBytes)
        this.#files.set(basename(file.name), file)
  }

  /** The address in the export of a picture at an address there; a link where it has no file. */
  at(src: string): string | null {
    const file = this.#files.get(basename(src.replace(/[?#].*$/, '')))
    if (file === undefined) return this.#elsewhere(src)
    const id = createHash('sha256').update(file.name).digest('hex').slice(0, 32)
    this.#shown.set(id, file)
    return addressOf('file', id)
  }

  #elsewhere(src: string): string | null {
    if (/^https?:/i.test(src)) return this.#conversion.picture(src)
    this.#conversion.tally.note('pictures that are not in the file: left out')
    return null
  }

  /** What texts show. */
  async write(): Promise<void> {
    const { writer } = this.#conversion
    for (const [id, file] of this.#shown) {
      const path = `files/${id}${extname(file.name).toLowerCase()}`
      await writer.blob(path, await readFile(file.path))
      await writer.lines('files', [{ id, kept: 'blob', path }])
    }
  }
}
