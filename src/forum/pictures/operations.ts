import { z } from 'zod'
import { personOf } from '../../operations/actor.ts'
import { line } from '../../operations/fields.ts'
import { forum, operation } from '../../operations/operation.ts'
import { requireSomewhereUnsuspended } from '../../operations/suspended.ts'
import { insertPicture } from './commands.ts'
import { ALT } from './form.ts'
import { PictureFile } from './picture-file.ts'

/** Keeps the row of a picture, whose files follow (upload.ts). It belongs to no post yet: only its uploader knows its name. */
export const pictureUpload = operation({
  name: 'upload-picture',
  right: 'upload',
  find: forum,
  limit: 'uploading',
  input: { alt: line(ALT), file: z.instanceof(PictureFile) },
  rules: [({ actor }) => requireSomewhereUnsuspended(actor)],
  async run({ write, actor, input: { alt, file } }) {
    const name = await insertPicture(write, { uploaderId: personOf(actor).id, alt, file })
    return { name, alt, width: file.encoded.width, height: file.encoded.height }
  },
})
