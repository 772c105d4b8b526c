import { type Language, languages } from '../../messages/language'
import { choose, t, useLanguage } from '../../messages/messages'
import { Field } from '../ui'

export function LanguageChoice() {
  const language = useLanguage()
  return (
    <Field label={t('language.label')}>
      {(ids) => (
        <select {...ids} className="input" value={language} onChange={(e) => void choose(e.target.value as Language)}>
          {Object.entries(languages).map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
