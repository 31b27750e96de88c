import type { Generated, GeneratedAlways } from 'kysely'
import type { DefaultTime } from './columns.ts'

/** An uploaded picture: db/schema/tables/04_posts.sql. */
interface Images {
  id: GeneratedAlways<number>
  name: string
  /** null: whose account is gone. */
  uploader_id: number | null
  sha256: Buffer
  webp_sha256: Buffer | null
  fallback_sha256: Buffer | null
  fallback: 'png' | 'jpg' | 'gif'
  bytes: number
  alt: string
  uploaded_at: DefaultTime
}

/** A post or an announcement that shows a picture, or an earlier version of which did. */
interface PostImages {
  image_id: number
  question_id: number | null
  answer_id: number | null
  reply_id: number | null
  announcement_id: number | null
  is_shown: Generated<boolean>
}

/** A backup that was restored into this database. */
interface Restores {
  backup_sha256: Buffer
  restored_at: DefaultTime
}

export interface PicturesTables {
  restores: Restores
  images: Images
  post_images: PostImages
}
