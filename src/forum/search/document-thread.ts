import { serve } from '../../text/thread/serve.ts'
import { vectorOf } from './thread-vector.ts'

serve(vectorOf)
