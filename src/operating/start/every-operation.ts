import { allOperations, type Listed } from '../../operations/operation.ts'

/** Every operation of the forum: those of all modules that it is made of. */
export async function everyOperation(): Promise<readonly Listed[]> {
  await import('../../app.ts')
  return allOperations()
}
