import type { EncodedPicture } from './encode.ts'

/** A picture as it came, and as it is kept. */
export class PictureFile {
  readonly original: Buffer
  readonly encoded: EncodedPicture

  constructor(original: Buffer, encoded: EncodedPicture) {
    this.original = original
    this.encoded = encoded
  }
}
