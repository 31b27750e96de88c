import { type RawBuilder, sql } from 'kysely'

declare const SEAL: unique symbol

/** The name of a post's author as queries bring it. No text can be made of it: only byline.ts opens it. */
export interface SealedName {
  readonly [SEAL]: never
}

/** @param column the display name, such as 'author.display_name' */
export function sealedName(column: string): RawBuilder<SealedName> {
  return sql<SealedName>`json_build_object('sealed', ${sql.ref(column)})`
}

/** For byline.ts alone. */
export function unsealed(name: SealedName): string {
  return (name as unknown as { readonly sealed: string }).sealed
}
