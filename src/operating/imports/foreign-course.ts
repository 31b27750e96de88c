import { FORMAT } from '../exchange/format.ts'
import type { Conversion } from './source.ts'

/** Of a long text, what tells its language. */
const BEGINNING = 2000

/** A course that is made for posts of another forum. Members alone read it, and it allows what those posts are. */
export class ForeignCourse {
  hasPrivate = false
  hasAnonymous = false
  #hangul = 0
  #letters = 0

  read(text: string): void {
    const beginning = text.slice(0, BEGINNING)
    this.#hangul += beginning.match(/\p{Script=Hangul}/gu)?.length ?? 0
    this.#letters += beginning.match(/\p{L}/gu)?.length ?? 0
  }

  /** Once all posts are read. */
  write({ writer, course }: Conversion, source: string, origin: string): Promise<void> {
    return writer.course({
      ...{ format: FORMAT.name, version: FORMAT.version, ...course },
      source: { name: source, origin },
      language: this.#hangul * 2 > this.#letters ? 'ko' : 'en',
      ...{ is_public: false, asking: 'members' },
      allows_private: this.hasPrivate,
      allows_anonymous: this.hasAnonymous,
    })
  }
}
