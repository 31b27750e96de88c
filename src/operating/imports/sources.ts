import { CANVAS } from './canvas/canvas.ts'
import { CSV } from './canvas/csv.ts'
import { DISCOURSE } from './discourse/discourse.ts'
import { ED } from './ed/ed.ts'
import { MOODLE } from './moodle/moodle.ts'
import { PIAZZA } from './piazza/piazza.ts'
import type { Source } from './source.ts'
import { STACKEXCHANGE } from './stackexchange.ts'
import { TEAMS } from './teams.ts'

/** Every other forum whose exports come in, in the order in which files are looked at. */
export const SOURCES: readonly Source[] = [STACKEXCHANGE, TEAMS, PIAZZA, MOODLE, DISCOURSE, ED, CANVAS, CSV]

export const sourceNamed = (name: string): Source | null =>
  SOURCES.find((source) => source.name === name) ?? null
