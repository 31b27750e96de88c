/** The address of an uploaded picture: 22 random characters, width, height. */
const ADDRESS = /^\/uploads\/[A-Za-z0-9_-]{22}-([1-9]\d{0,4})x([1-9]\d{0,4})$/

export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** The size of one of our pictures, as its address tells it; null for any other address. */
export function sizeOfPicture(address: string): PictureSize | null {
  const [, width, height] = ADDRESS.exec(address) ?? []
  return width === undefined ? null : { width: Number(width), height: Number(height) }
}
