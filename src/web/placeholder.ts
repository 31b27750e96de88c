import { randomBytes } from 'node:crypto'

/** Never sent, and different in each process: no text can contain it. */
const SECRET = randomBytes(16).toString('hex')
/** A placeholder in a page, with the name of its slot. */
export const PLACEHOLDER = new RegExp(`placeholder-([\\w.-]+?)-${SECRET}`)

/** Stands in a page that many share for what each of them has of their own. @param slot letters, digits, `.` and `-` */
export const placeholder = (slot: string) => `placeholder-${slot}-${SECRET}`
