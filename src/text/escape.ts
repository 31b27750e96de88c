import { Eta } from 'eta'
import { boundMarks } from './markdown/bounds.ts'

/** Escapes text for HTML with all its characters: the value of a form field. */
export const escapeLiterally: (text: string) => string = new Eta().config.escapeFunction

/** Escapes text for display in HTML, as templates do. */
export const escapeText = (text: unknown): string => escapeLiterally(boundMarks(String(text)))
