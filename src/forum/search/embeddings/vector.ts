/** A vector of length 1: the product of two is their similarity. */
export type Vector = Float32Array

/** @throws Error for one without a direction, or with a number that is none */
export function normalized(numbers: readonly number[]): Vector {
  const length = Math.hypot(...numbers)
  if (!(length > 0 && Number.isFinite(length))) throw new Error('a vector without a direction')
  return Float32Array.from(numbers, (number) => number / length)
}

/** As the column question_vectors.vector has it. */
export function bytesOf(vector: Vector): Buffer {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * 4)
  return bytes
}

export function vectorIn(bytes: Buffer): Vector {
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}

/** From -1 to 1, by their cosine; -1 for vectors that can't be compared. */
export function nearness(one: Vector, other: Vector): number {
  if (one.length !== other.length) return -1
  return one.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0)
}
