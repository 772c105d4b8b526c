// What the app asks for before the rest of its script has come, besides the calls of api/first.ts: the texts of the person's language.
import '../api/first'
import { preferred } from '../messages/language'
import { loadTexts } from '../messages/texts'

loadTexts(preferred()).catch(() => {}) // said by the page, which cannot be drawn without
