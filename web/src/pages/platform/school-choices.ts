import { api, call } from '../../api/client'
import { type Choices, choicesOf } from '../../patterns/found'

const find = (filters: { status?: 'ACTIVE' }): Choices =>
  choicesOf('/super-admin/school/list', {
    label: (s) => s.name,
    value: (s) => s.id,
    sort: 'name',
    filters,
    nameOf: async (id) => (await call(api.GET('/super-admin/school/{id}', { params: { path: { id } } }))).name,
  })

/** Schools to choose from, by name or code. */
export const schoolChoices = find({})

/** The same of those that are served. */
export const activeSchoolChoices = find({ status: 'ACTIVE' })
