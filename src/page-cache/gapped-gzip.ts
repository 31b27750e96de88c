import { constants, crc32, deflateRawSync } from 'node:zlib'

/** A text compressed once, that is the same in all of many gzip files. */
interface Piece {
  /** Where its blocks end among those of all pieces. */
  readonly end: number
  readonly length: number
  readonly crc: number
}

/**
 * A gzip file (RFC 1952) with gaps: the texts around them are compressed once, what is filled in stands between them as it
 * is. It costs a tenth of compressing the whole, which is what a page for somebody would cost most by.
 */
export class GappedGzip {
  private readonly pieces: readonly Piece[]
  /**
   * Deflate blocks (RFC 1951) of all pieces, which refer to nothing before their piece, end at a full byte, and are none of
   * them the last. In one buffer, as each has a price of its own.
   */
  private readonly blocks: Buffer
  /** For each piece what it makes of each of the 32 bits of the checksum of what stands before it. */
  private readonly shifts: Uint32Array

  /**
   * @param texts what stands around the gaps: one more than there are gaps
   * @param level of compression, 1 (quick) to 9 (small)
   */
  constructor(texts: readonly Buffer[], level: number) {
    const options = { level, finishFlush: constants.Z_FULL_FLUSH }
    const compressed = texts.map((text) => deflateRawSync(text, options))
    this.blocks = Buffer.allocUnsafeSlow(compressed.reduce((sum, { length }) => sum + length, 0))
    this.shifts = new Uint32Array(32 * texts.length)
    let end = 0
    this.pieces = texts.map((text, index) => {
      end += compressed[index]?.copy(this.blocks, end) ?? 0
      this.shifts.set(shiftBy(text.length), 32 * index)
      return { end, length: text.length, crc: crc32(text) }
    })
  }

  /** Bytes kept. */
  get size(): number {
    return this.blocks.length + this.shifts.byteLength
  }

  /** The file with its gaps filled, from first to last; each with less than 64 KB. */
  filledWith(values: readonly Buffer[]): Buffer {
    const parts: Buffer[] = [HEADER]
    let crc = 0
    let length = 0
    let begin = 0
    for (const [index, piece] of this.pieces.entries()) {
      parts.push(this.blocks.subarray(begin, piece.end))
      begin = piece.end
      crc = (piece.crc ^ this.shifted(crc, index)) >>> 0
      length += piece.length
      const value = values[index]
      if (value === undefined) continue
      parts.push(storedHeader(value.length), value)
      crc = crc32(value, crc)
      length += value.length
    }
    return Buffer.concat([...parts, trailerOf(crc, length)])
  }

  private shifted(crc: number, index: number): number {
    let result = 0
    for (let bit = 0; bit < 32; bit += 1) {
      if ((crc >>> bit) & 1) result ^= this.shifts[32 * index + bit] ?? 0
    }
    return result
  }
}

/** Deflate, no name, no time, any system (RFC 1952, 2.3). */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
/** An empty one with the fixed code and the mark of the last (RFC 1951, 3.2.3). */
const LAST_BLOCK = Buffer.from([3, 0])

/** The last block, checksum and length (RFC 1952, 2.3.1). */
function trailerOf(crc: number, length: number): Buffer {
  const trailer = Buffer.allocUnsafe(10)
  LAST_BLOCK.copy(trailer)
  trailer.writeUInt32LE(crc, 2)
  trailer.writeUInt32LE(length, 6)
  return trailer
}

/** The beginning of a block that is not compressed (RFC 1951, 3.2.4). */
function storedHeader(length: number): Buffer {
  const header = Buffer.allocUnsafe(5)
  header[0] = 0
  header.writeUInt16LE(length, 1)
  header.writeUInt16LE(~length & 0xffff, 3)
  return header
}

/**
 * CRC-32 is linear: what so many bytes make of the checksum before them is the exclusive or of what they make of each of
 * its bits, whatever the bytes are.
 */
function shiftBy(length: number): Uint32Array {
  const zeros = Buffer.alloc(length)
  const ofNothing = crc32(zeros)
  return Uint32Array.from({ length: 32 }, (_, bit) => crc32(zeros, (1 << bit) >>> 0) ^ ofNothing)
}
