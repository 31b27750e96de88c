import { z } from 'zod'
import { MEASURES, type MeasureKind } from '../../database/schema.ts'
import { LENGTHS } from './decide-view.ts'

/** The measures that were ticked: a list, or their names with spaces between. */
export const measureList = () =>
  z.union([z.string(), z.array(z.string())]).transform((sent, context): MeasureKind[] => {
    const names = (typeof sent === 'string' ? sent.split(' ') : sent).filter((name) => name !== '')
    const known = MEASURES.filter((kind) => names.includes(kind))
    if (known.length === new Set(names).size) return known
    context.addIssue({ code: 'custom', message: 'cases.form.unknownMeasure' })
    return z.NEVER
  })

const MAX_DAYS = 3650
const DAYS = /^[1-9]\d{0,3}$/

/** How long a suspension is, in days; null: for good. Empty: as long as the form offers first of all. */
export const suspensionLength = () =>
  z.string().transform((value, context): number | null => {
    const length = value.trim() === '' ? LENGTHS[2] : value.trim()
    if (length === 'for-good') return null
    if (DAYS.test(length) && Number(length) <= MAX_DAYS) return Number(length)
    context.addIssue({ code: 'custom', message: 'forms.choice' })
    return z.NEVER
  })

/** The version of the case that the form was made of; 0, which none has, where it says none. */
export const caseVersion = () =>
  z.string().transform((value) => (/^[1-9]\d{0,8}$/.test(value) ? Number(value) : 0))

/** A box that is ticked. */
export const ticked = () => z.string().transform((value) => value === '1')
