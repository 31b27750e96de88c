import { z } from 'zod'
import { named, url } from './registry.ts'

/** Addresses of the collections; those with braces are URI templates (RFC 6570). */
export const startSchema = named(
  'Start',
  z.object({
    courses: url,
    search: z.string(),
    similar: z.string(),
    me: url,
    notifications: url,
    openapi: url,
    documentation: url,
  }),
)
