import { resolve } from 'node:path'

/** A path as it was typed: npm runs scripts in the package's folder, wherever they were asked for. */
export function fromHere(path: string): string {
  return resolve(process.env.INIT_CWD ?? '', path)
}
