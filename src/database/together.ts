/**
 * Does together what is asked for at about the same time: while one round is under way, what else is asked
 * for goes in the next. Each that asked learns what its round threw.
 * @param round what it found, by key
 * @param most how much goes in one round
 */
export function together<Key, Value>(
  round: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  most = Number.POSITIVE_INFINITY,
): (key: Key) => Promise<Value | undefined> {
  const waiting: { key: Key; answer: PromiseWithResolvers<Value | undefined> }[] = []
  let isUnderWay = false
  const goOn = async () => {
    isUnderWay = true
    // What is asked for in the same turn of the loop goes in one round.
    await null
    while (waiting.length > 0) {
      const asked = waiting.splice(0, most)
      try {
        const found = await round(asked.map(({ key }) => key))
        for (const { key, answer } of asked) answer.resolve(found.get(key))
      } catch (error) {
        for (const { answer } of asked) answer.reject(error)
      }
    }
    isUnderWay = false
  }
  return (key) => {
    const answer = Promise.withResolvers<Value | undefined>()
    waiting.push({ key, answer })
    if (!isUnderWay) void goOn()
    return answer.promise
  }
}
