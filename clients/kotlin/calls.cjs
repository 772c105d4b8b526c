// Keeps of a document the calls that the quick start makes, with what they refer to: a client of all calls takes minutes to make.
const fs = require('fs')
const { bundle, createConfig } = require('@redocly/openapi-core')

const file = process.argv[2]
const value = ['postAuthLogin', 'getSchoolAdminStudentList', 'getSchoolAdminStudentById']
createConfig({ decorators: { 'filter-in': { property: 'operationId', value } } })
  .then((config) => bundle({ ref: file, config, removeUnusedComponents: true }))
  .then((whole) => {
    delete whole.bundle.parsed.webhooks
    fs.writeFileSync(file, JSON.stringify(whole.bundle.parsed))
  })
