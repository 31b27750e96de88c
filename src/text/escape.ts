import { Eta } from 'eta'

/** Text to stand in HTML, escaped as templates do. */
export const escapeText: (text: string) => string = new Eta().config.escapeFunction
