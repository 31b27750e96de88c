import type { z } from 'zod'
import { metaOf } from '../../kernel/fields.ts'

/** What is read here of JSON Schema, of 2020-12. */
export interface Schema {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | null)[]
  readonly const?: string
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Schemas
  readonly required?: readonly string[]
}
export type Schemas = Readonly<Record<string, Schema>>

/**
 * What JSON a field of a body takes. null means what an empty field of a form does: a field takes it that may be left out and may be
 * empty.
 */
export function schemaOfField(field: z.ZodType, isRequired: boolean): Schema {
  const { isOptional = false, kind: _, autocomplete: __, type: taken, ...meta } = metaOf(field)
  const types = taken === undefined ? [] : [taken].flat()
  const isNeverEmpty = meta.enum !== undefined || meta.minimum !== undefined || (meta.minLength ?? 0) > 0
  if (taken === undefined || types.includes('null') || isRequired || (isNeverEmpty && !isOptional))
    return { ...meta, ...(taken !== undefined && { type: taken }) }
  return { ...meta, type: [...types, 'null'], ...(meta.enum && { enum: [...meta.enum, null] }) }
}

/** Whether a value has a type that a field takes. What its text or number may be, the operation says. */
export function isOfType(value: unknown, { type, items }: Schema): boolean {
  if (type === undefined) return true
  const types = [type].flat()
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) return types.includes('array') && value.every((one) => isOfType(one, items ?? {}))
  if (typeof value === 'number') return types.includes('integer') && Number.isSafeInteger(value)
  return types.includes(typeof value)
}
