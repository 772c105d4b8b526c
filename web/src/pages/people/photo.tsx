// The photo of a student or an employee, in their form. ID cards and hall tickets print it.

import { t } from '../../messages/console'
import { Picture } from '../../patterns/Picture'
import type { Draft } from '../../patterns/record'

export function Photo<T extends { photoFileId: string | null }>({ draft }: { draft: Draft<T> }) {
  return (
    <Picture
      id={draft.values.photoFileId}
      label={t('Photo')}
      purpose="PHOTO"
      none={t('None yet: ID cards have a frame for one.')}
      error={draft.errors.photoFileId}
      set={(id) => draft.set('photoFileId', id)}
      fail={(message) => draft.setErrors({ photoFileId: message })}
    />
  )
}
