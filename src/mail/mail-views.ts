import { join } from 'node:path'
import { Eta } from 'eta'

/** The templates of mails, which no app renders: jobs and commands write mails, too. */
export const mailViews: Eta = new Eta({ views: join(import.meta.dirname, '../../views'), cache: true })
