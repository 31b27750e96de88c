import { serve } from '../../text/thread/serve.ts'
import { readMail } from './read-mail.ts'

serve((raw: Uint8Array) => readMail(Buffer.from(raw)))
