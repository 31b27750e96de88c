/** Where the files of pictures are. Names are of our own making. */
export interface PictureStore {
  put(file: string, content: Buffer): Promise<void>
  /** null: there is no such file. */
  get(file: string): Promise<Buffer | null>
  /** No file of that name is as good as a removed one. */
  remove(file: string): Promise<void>
}

/** The store cannot be reached, or does not do what it is asked: later it may. */
export class StoreUnavailable extends Error {}

/** The path of a file, the same in a folder and in a bucket: below two characters of its name, so that no folder gets huge. */
export function pathOf(file: string): string {
  return `${file.slice(0, 2)}/${file}`
}
