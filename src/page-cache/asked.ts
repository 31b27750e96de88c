import type { Language } from '../database/schema.ts'
import type { Encoding } from '../web/encoding.ts'
import type { Reader } from './reader.ts'

/** How a page is sent: compressed, or as it is. */
export type SentAs = Encoding | 'identity'

/** What a kept page is found by, and made from: an address, a language, an encoding, and what sort of person reads. */
export interface Asked {
  readonly key: string
  readonly url: string
  readonly language: Language
  readonly encoding: SentAs
  /** null: a visitor. */
  readonly reader: Reader | null
}
