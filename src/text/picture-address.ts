const SHOWN = /<img src="\/uploads\/([\w-]+)"/g

/** @param name of an uploaded picture, which carries its size (markdown/own-pictures.ts) */
export function pictureAddress(name: string): string {
  return `/uploads/${name}`
}

/** The names of the pictures that a post shows. @param html from prepareMarkdown */
export function picturesIn(html: string): string[] {
  return [...new Set(Array.from(html.matchAll(SHOWN), ([, name = '']) => name))]
}
