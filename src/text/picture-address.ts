/** The name of an uploaded picture, which carries its size: 22 random characters, width, height. */
const NAME = '[A-Za-z0-9_-]{22}-([1-9]\\d{0,3})x([1-9]\\d{0,3})'
const ADDRESS = new RegExp(`^/uploads/(${NAME})$`)
const SHOWN = new RegExp(`<img src="/uploads/(${NAME})"`, 'g')

/** A picture of ours, as its address tells it. */
export interface PictureAddress {
  readonly name: string
  readonly width: number
  readonly height: number
}

/** Reads the address of one of our pictures; null for any other. */
export function readPictureAddress(address: string): PictureAddress | null {
  const [, name, width, height] = ADDRESS.exec(address) ?? []
  return name === undefined ? null : { name, width: Number(width), height: Number(height) }
}

export function pictureAddress(name: string): string {
  return `/uploads/${name}`
}

/** The names of the pictures that a post shows. @param html from renderMarkdown */
export function picturesIn(html: string): string[] {
  return [...new Set(Array.from(html.matchAll(SHOWN), ([, name = '']) => name))]
}
