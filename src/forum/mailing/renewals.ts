import type { Renewals } from '../../mail/renewal.ts'
import { INVITATION, renewInvitation } from '../members/invitation-mail.ts'
import { renewWeek, WEEK } from './staff-week.ts'
import { type Mailing, NEWS_MAIL, renewNews } from './write-news.ts'

export function mailRenewals(mailing: Mailing): Renewals {
  return { [NEWS_MAIL]: renewNews(mailing), [WEEK]: renewWeek(mailing), [INVITATION]: renewInvitation }
}
