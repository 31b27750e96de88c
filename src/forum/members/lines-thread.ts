import { serve } from '../../text/thread/serve.ts'
import { readMemberLines } from './member-lines.ts'

serve(readMemberLines)
