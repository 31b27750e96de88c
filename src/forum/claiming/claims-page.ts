import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DEPARTURE } from '../../accounts/deletion/departure.ts'
import { sessionOf } from '../../accounts/identity/own-account.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { languageOf } from '../../text/language.ts'
import { type FormState, freshForm, typedFields } from '../../web/form.ts'
import { formOf, openForms } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { settingsPage } from '../../web/settings-nav.ts'
import { listClaimed, listOffers, type Offer } from './offers.ts'
import { postsClaim, postsRefusal, postsRelease } from './operations.ts'

const PATH = '/settings/claims' as const

/** Posts that an import brought under one's own confirmed address. */
export function registerClaims(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => showClaims(request, reply))
  const door = {
    key: (request: FastifyRequest) => ({ ...sessionOf(request), unclaimedId: idParam(request, 'id') }),
    formPage: () => PATH,
    done: () => PATH,
    refused: (request: FastifyRequest, reply: FastifyReply, form: FormState) =>
      showClaims(request, reply, { offerId: idParam(request, 'id'), form }),
  }
  const mine = formOf(postsClaim, { ...door, flash: () => 'claims.flash.mine' })
  const nameless = formOf(postsRelease, {
    ...door,
    flash: () => {
      if (app.changes !== null) app.jobs.wake(DEPARTURE)
      return 'claims.flash.nameless'
    },
  })
  const other = formOf(postsRefusal, { ...door, flash: () => 'claims.flash.other' })
  openForms(app, `${PATH}/:id`, [mine, nameless, other], ({ body }) => {
    const { decision } = typedFields(body)
    return decision === 'mine' ? mine : decision === 'nameless' ? nameless : other
  })
}

interface SentToOffer {
  readonly offerId: number
  readonly form: FormState
}

/** What may be decided, and what its message is called. */
const OFFERED = [
  ['mine', 'mine'],
  ['nameless', 'nameless'],
  ['not-mine', 'other'],
] as const
const CLAIMED = [
  ['not-mine', 'undo'],
  ['nameless', 'nameless'],
] as const

export const showClaims = settingsPage(
  'claiming/claims',
  PATH,
  { robots: 'noindex', address: PATH },
  async (context, sent: SentToOffer | null = null) => {
    const { t, db } = context
    const { id: accountId } = context.person()
    const timeZone = await context.timeZone()
    const decidable = (id: number, choices: typeof OFFERED | typeof CLAIMED) => ({
      path: `${PATH}/${id}`,
      choices: choices.map(([value, key]) => ({
        value,
        text: t(`claims.choice.${key}`),
        hint: t(`claims.choice.${key}.hint`),
      })),
      form: sent?.offerId === id ? sent.form : freshForm(),
    })
    return {
      title: t('claims.title'),
      errors: (sent?.form.errors ?? []).map(({ message }) => ({
        field: `decide-${sent?.offerId}`,
        text: t(message.key, message.values),
      })),
      offers: (await listOffers(db, accountId)).map((offer) => ({
        ...offer,
        ...saidOf(t, offer),
        ...decidable(offer.id, OFFERED),
      })),
      claimed: (await listClaimed(db, accountId)).map(({ id, name, undoableUntil, hasNewer }) => ({
        ...{ id, name, hasNewer },
        until: writtenDate(undoableUntil, timeZone, t),
        ...decidable(id, CLAIMED),
      })),
    }
  },
)

function saidOf(t: Translate, { courses, postsCount, questionsCount, titles }: Offer) {
  return {
    courses: courses.map(({ title, language, source }) => ({
      title,
      lang: language,
      from: t('posts.imported', { source }),
    })),
    titles: titles.map((text) => ({ text, lang: languageOf(text) })),
    count: t('claims.count', { count: postsCount }),
    more: questionsCount > titles.length ? t('claims.more', { count: questionsCount - titles.length }) : null,
  }
}
