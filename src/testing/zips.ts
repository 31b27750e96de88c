import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a zip; its name may be bytes of an old encoding. */
export interface ZipEntry {
  readonly name: string | Buffer
  readonly content: string | Buffer
  /** Of Unix, with the type of the file: 0o120777 is a symbolic link. */
  readonly mode?: number
  /** What the zip says of its size, if it lies. */
  readonly says?: number
}

/** A zip, as other programs write it: the bytes of a file. */
export function aZip(entries: readonly ZipEntry[]): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name: given, content: text, mode = 0o100644, says } of entries) {
    const [name, content] = [Buffer.from(given as string), Buffer.from(text as string)]
    const packed = deflateRawSync(content)
    const isUtf8 = typeof given === 'string' ? 0x800 : 0
    const shared = numbers([20, 2], [isUtf8, 2], [8, 2], [0, 2], [0x21, 2], [crc32(content), 4])
    const sizes = numbers([packed.length, 4], [says ?? content.length, 4], [name.length, 2], [0, 2])
    const body = Buffer.concat([numbers([0x04034b50, 4]), shared, sizes, name, packed])
    const head = [numbers([0x02014b50, 4], [0x0314, 2]), shared, sizes]
    directory.push(...head, numbers([0, 2], [0, 2], [0, 2], [(mode << 16) >>> 0, 4], [at, 4]), name)
    bodies.push(body)
    at += body.length
  }
  const central = Buffer.concat(directory)
  const count = [entries.length, 2] as const
  const end = numbers([0x06054b50, 4], [0, 2], [0, 2], count, count, [central.length, 4], [at, 4], [0, 2])
  return Buffer.concat([...bodies, central, end])
}

/** Numbers of so many bytes each, the lowest first. */
function numbers(...given: readonly (readonly [value: number, bytes: number])[]): Buffer {
  return Buffer.concat(
    given.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes)
      buffer.writeUIntLE(value, 0, bytes)
      return buffer
    }),
  )
}
