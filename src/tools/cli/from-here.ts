import { resolve } from 'node:path'

/** Resolves a path against the caller's folder: npm runs scripts in the package's folder. */
export function fromHere(path: string): string {
  return resolve(process.env.INIT_CWD ?? '', path)
}
