/** Where the files of pictures are. Names are of our own making. */
export interface PictureStore {
  put(file: string, content: Buffer): Promise<void>
  /** null: there is no such file. */
  get(file: string): Promise<Buffer | null>
  /** No file of that name is as good as a removed one. */
  remove(file: string): Promise<void>
}
