/**
 * Makes something once for each key, as for the forum of a worker: tests that only read it share it. A fixture of the
 * worker would do the same, but playwright starts a worker, a forum and a browser for each set of such fixtures.
 */
export function once<Key extends object, Rest extends readonly unknown[], Made>(
  make: (key: Key, ...rest: Rest) => Promise<Made>,
): (key: Key, ...rest: Rest) => Promise<Made> {
  const made = new WeakMap<Key, Promise<Made>>()
  return (key, ...rest) => {
    const known = made.get(key) ?? make(key, ...rest)
    made.set(key, known)
    return known
  }
}
