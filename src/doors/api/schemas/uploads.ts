import { z } from 'zod'
import { named } from './registry.ts'

/** `url` is a path of the forum, as texts have it. */
export const pictureSchema = named(
  'Picture',
  z.object({ url: z.string(), markdown: z.string(), width: z.int(), height: z.int() }),
)
