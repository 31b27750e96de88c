/**
 * Options of an LRUCache for this number of entries. With `max` instead, it takes the memory for all of them when it is made:
 * 430 KB and 2 ms for 20,000.
 */
export function atMost(entries: number): {
  readonly maxSize: number
  readonly sizeCalculation: () => number
} {
  return { maxSize: entries, sizeCalculation: () => 1 }
}
