import { DISCOURSE } from './discourse/discourse.ts'
import type { Source } from './source.ts'
import { STACKEXCHANGE } from './stackexchange.ts'
import { TEAMS } from './teams.ts'

/** Every other forum whose exports come in, in the order in which files are looked at. */
export const SOURCES: readonly Source[] = [STACKEXCHANGE, DISCOURSE, TEAMS]

export const sourceNamed = (name: string): Source | null =>
  SOURCES.find((source) => source.name === name) ?? null
